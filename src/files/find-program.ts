/** Finds a program in `PATH`, as the operating system does. */
import { accessSync, constants, statSync } from 'node:fs';
import { posix, resolve, win32 } from 'node:path';

export interface ProgramSearch {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** Returns the full path of the first accepted file. A command with a slash is relative to `cwd`; any other is looked up in `PATH`. */
export function findProgram(
  command: string,
  { cwd, env, platform }: ProgramSearch,
  accepts: (file: string) => boolean = canRun,
): string | undefined {
  const { delimiter } = platform === 'win32' ? win32 : posix;
  const folders = /[/\\]/.test(command) ? [cwd] : (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
  const endings = platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  return folders
    .filter((folder) => folder !== '')
    .flatMap((folder) => endings.map((ending) => resolve(folder, command + ending)))
    .find(accepts);
}

export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Whether the path is an executable file. Folders also have the executable bit. */
export function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return isFile(file);
  } catch {
    return false;
  }
}
