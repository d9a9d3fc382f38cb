/** A command that works outside this shell: an application has another search path, and another folder. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { posix, resolve, win32 } from 'node:path';
import type { ConfigChange } from '../../host/config/write-config.ts';
import type { Text } from '../../host/servers/source.ts';
import { badArgument } from '../arguments.ts';
import type { Shell } from '../shell.ts';

/** Programs and files with their whole paths. Throws when there is no such program. */
export function portable(change: ConfigChange, shell: Shell): ConfigChange {
  const { command, args } = change;
  if (typeof command !== 'string') return change;
  return { ...change, command: programAt(command, shell), args: args?.map((arg) => whole(arg, shell)) ?? [] };
}

/** The whole path. Throws when there is none. */
export function programAt(command: string, shell: Shell): string {
  const paths = shell.platform === 'win32' ? win32 : posix;
  const isPath = /[/\\]/.test(command);
  const folders = isPath ? [shell.cwd] : (shell.env['PATH'] ?? shell.env['Path'] ?? '').split(paths.delimiter);
  const endings = shell.platform === 'win32' ? ['', ...(shell.env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  for (const folder of folders.filter((one) => one !== ''))
    for (const ending of endings) {
      const file = resolve(folder, command + ending);
      if (isProgram(file)) return file;
    }
  const where = isPath
    ? `there is no such program (${resolve(shell.cwd, command)})`
    : 'no program of that name is on PATH';
  throw badArgument(command, `${where}; the application would not find it either`);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A relative path to something that is there. A bare word may be a file by chance. */
function whole(arg: Text, { cwd }: Shell): Text {
  if (typeof arg !== 'string' || !/^\.{1,2}(?:$|[/\\])|[/\\]|\.\w+$/.test(arg) || /^[-@]|:\/\//.test(arg)) return arg;
  const path = resolve(cwd, arg);
  return existsSync(path) ? path : arg;
}
