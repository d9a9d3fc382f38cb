/** Resolves and shortens paths for users, and locates the state folder of the command line. */
import { existsSync, statSync } from 'node:fs';
import { posix, resolve, win32 } from 'node:path';
import { expandHome } from '../files/expand-home.ts';
import { namedFolder } from '../files/named-folder.ts';
import { badArgument } from './arguments.ts';
import type { Shell } from './shell.ts';

/** Resolves a typed path against the working directory; expands `~`. */
export function pathFrom({ cwd, home }: Pick<Shell, 'cwd' | 'home'>, path: string): string {
  return resolve(cwd, expandHome(path, home));
}

/** The path of an existing file. Throws `MCP_BAD_ARGUMENT`, naming `argument`. */
export function existingFile(shell: Pick<Shell, 'cwd' | 'home'>, typed: string, argument = typed): string {
  const path = pathFrom(shell, typed);
  if (!existsSync(path)) throw badArgument(argument, `file not found (${path})`);
  if (!statSync(path).isFile()) throw badArgument(argument, `not a file (${path})`);
  return path;
}

/** Relative to the working directory, or with `~` for the home folder. */
export function shortPath(file: string, { cwd, home }: Pick<Shell, 'cwd' | 'home'>): string {
  if (file.startsWith(`${cwd}/`)) return file.slice(cwd.length + 1);
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}

/** Where approvals, credentials and tickets are stored. */
export function stateFolder({ home, platform, env }: Pick<Shell, 'home' | 'platform' | 'env'>): string {
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'mooring');
  if (platform === 'win32')
    return win32.join(namedFolder(env['LOCALAPPDATA'], win32.join(home, 'AppData', 'Local'), win32), 'mooring');
  return posix.join(namedFolder(env['XDG_STATE_HOME'], posix.join(home, '.local', 'state'), posix), 'mooring');
}
