/** A command for a configuration file: an application has another search path and another folder than this shell. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { findProgram } from '../../files/find-program.ts';
import type { ConfigChange, ConfigText } from '../../host/index.ts';
import { badArgument } from '../arguments.ts';
import { applicationOf, type ConfigPlace, projectOf } from '../servers/known-applications.ts';
import type { Shell } from '../shell.ts';

/** Programs and files with their whole paths. Throws when there is no such program. */
export function toPortableCommand(change: ConfigChange, shell: Shell): ConfigChange {
  const { command, args } = change;
  if (typeof command !== 'string') return change;
  return { ...change, command: programAt(command, shell), args: args?.map((arg) => pathIn(arg, shell) ?? arg) ?? [] };
}

/** The whole path. Throws when there is none. */
function programAt(command: string, shell: Shell): string {
  const found = findProgram(command, shell);
  if (found !== undefined) return found;
  const where = /[/\\]/.test(command)
    ? `there is no such program (${resolve(shell.cwd, command)})`
    : 'no program of that name is on PATH';
  throw badArgument(command, `${where}; the application would not find it either`);
}

/** The whole path of an argument that is a path to something that is there. A bare word may be a file by chance. */
function pathIn(arg: ConfigText, { cwd }: Shell): string | undefined {
  if (typeof arg !== 'string' || !/^\.{1,2}(?:$|[/\\])|[/\\]|\.\w+$/.test(arg) || /^[-@]|:\/\//.test(arg))
    return undefined;
  const path = resolve(cwd, arg);
  return existsSync(path) ? path : undefined;
}

type Place = Pick<ConfigPlace, 'app' | 'file'>;

/** `mooring run` on a module of the project, as the project has it installed. */
export function projectModuleEntry(module: string, place: Place): ConfigChange {
  const path = spelled(module, place);
  if (path === undefined)
    throw badArgument(
      module,
      `the module is outside of ${folderOf(place)}, so that others would not find it; move it there`,
    );
  return { command: 'npx', args: ['mooring', 'run', path], ...folderFor(place) };
}

/** Programs by their names, files from the folder of the project. Throws when there is no such program. */
export function projectCommandEntry(change: ConfigChange, place: Place, shell: Shell): ConfigChange {
  const { command, args } = change;
  if (typeof command !== 'string') return change;
  const found = programAt(command, shell);
  const program = /[/\\]/.test(command) ? (spelled(found, place) ?? command) : command;
  return {
    ...change,
    command: program,
    args: args?.map((arg) => inProject(arg, place, shell)) ?? [],
    ...folderFor(place),
  };
}

function inProject(arg: ConfigText, place: Place, shell: Shell): ConfigText {
  const path = pathIn(arg, shell);
  return (path && spelled(path, place)) ?? arg;
}

/** Undefined for what is not below the folder of the project. */
function spelled(path: string, place: Place): string | undefined {
  const below = relative(folderOf(place), path);
  if (below.startsWith('..') || isAbsolute(below)) return undefined;
  const folder = applicationOf(place.file)?.projectFolder ?? '.';
  return below === '' ? folder : `${folder}/${below.split(sep).join('/')}`;
}

/** VS Code alone lets an entry say where its program starts. */
const folderFor = ({ app }: Place): ConfigChange => (app === 'vscode' ? { cwd: `\${workspaceFolder}` } : {});

/** A file that is no application's is about the folder that it lies in. */
const folderOf = ({ file }: Place): string => projectOf(file) ?? dirname(file);
