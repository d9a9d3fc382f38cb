/** A command that works outside this shell: an application has another search path, and another folder. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findProgram } from '../../files/find-program.ts';
import type { ConfigChange, ConfigText } from '../../host/index.ts';
import { badArgument } from '../arguments.ts';
import type { Shell } from '../shell.ts';

/** Programs and files with their whole paths. Throws when there is no such program. */
export function toPortableCommand(change: ConfigChange, shell: Shell): ConfigChange {
  const { command, args } = change;
  if (typeof command !== 'string') return change;
  return { ...change, command: programAt(command, shell), args: args?.map((arg) => pathIn(arg, shell) ?? arg) ?? [] };
}

/** The whole path. Throws when there is none. */
export function programAt(command: string, shell: Shell): string {
  const found = findProgram(command, shell);
  if (found !== undefined) return found;
  const where = /[/\\]/.test(command)
    ? `there is no such program (${resolve(shell.cwd, command)})`
    : 'no program of that name is on PATH';
  throw badArgument(command, `${where}; the application would not find it either`);
}

/** The whole path of an argument that is a path to something that is there. A bare word may be a file by chance. */
export function pathIn(arg: ConfigText, { cwd }: Shell): string | undefined {
  if (typeof arg !== 'string' || !/^\.{1,2}(?:$|[/\\])|[/\\]|\.\w+$/.test(arg) || /^[-@]|:\/\//.test(arg))
    return undefined;
  const path = resolve(cwd, arg);
  return existsSync(path) ? path : undefined;
}
