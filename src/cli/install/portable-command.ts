/** Rewrites commands for configuration files: an application has another PATH and working directory than this shell. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { findProgram } from '../../files/find-program.ts';
import type { ConfigChange, ConfigText } from '../../host/index.ts';
import { badArgument } from '../arguments.ts';
import { applicationOf, type ConfigPlace, projectOf } from '../servers/known-applications.ts';
import type { Shell } from '../shell.ts';

/** Makes the program and file arguments absolute. Throws if the program does not exist. */
export function toPortableCommand(change: ConfigChange, shell: Shell): ConfigChange {
  const { command, args } = change;
  if (typeof command !== 'string') return change;
  return {
    ...change,
    command: resolveProgram(command, shell),
    args: args?.map((arg) => resolvePath(arg, shell) ?? arg) ?? [],
  };
}

/** The absolute path of a program. Throws if it does not exist. */
function resolveProgram(command: string, shell: Shell): string {
  const found = findProgram(command, shell);
  if (found !== undefined) return found;
  const where = /[/\\]/.test(command)
    ? `program not found (${resolve(shell.cwd, command)})`
    : 'program not found in PATH';
  throw badArgument(command, `${where}; the application would not find it either`);
}

/** The absolute path of an argument that looks like a path and exists. A bare word is not a path, even if such a file exists. */
function resolvePath(arg: ConfigText, { cwd }: Shell): string | undefined {
  if (typeof arg !== 'string' || !/^\.{1,2}(?:$|[/\\])|[/\\]|\.\w+$/.test(arg) || /^[-@]|:\/\//.test(arg))
    return undefined;
  const path = resolve(cwd, arg);
  return existsSync(path) ? path : undefined;
}

type Place = Pick<ConfigPlace, 'app' | 'file'>;

/** `npx mooring run <module>`, with a path relative to the project. */
export function projectModuleEntry(module: string, place: Place): ConfigChange {
  const path = projectPath(module, place);
  if (path === undefined)
    throw badArgument(
      module,
      `the module is outside of ${projectFolderOf(place)}, so other copies of the project would not find it. Move the module there`,
    );
  return { command: 'npx', args: ['mooring', 'run', path], ...workingFolder(place) };
}

/** Keeps program names, and makes files relative to the project. Throws if the program does not exist. */
export function projectCommandEntry(change: ConfigChange, place: Place, shell: Shell): ConfigChange {
  const { command, args } = change;
  if (typeof command !== 'string') return change;
  const found = resolveProgram(command, shell);
  const program = /[/\\]/.test(command) ? (projectPath(found, place) ?? command) : command;
  return {
    ...change,
    command: program,
    args: args?.map((arg) => projectArgument(arg, place, shell)) ?? [],
    ...workingFolder(place),
  };
}

function projectArgument(arg: ConfigText, place: Place, shell: Shell): ConfigText {
  const path = resolvePath(arg, shell);
  return (path && projectPath(path, place)) ?? arg;
}

/** The path relative to the project, as the application spells it; undefined if the path is outside. */
function projectPath(path: string, place: Place): string | undefined {
  const below = relative(projectFolderOf(place), path);
  if (below.startsWith('..') || isAbsolute(below)) return undefined;
  const folder = applicationOf(place.file)?.projectFolder ?? '.';
  return below === '' ? folder : `${folder}/${below.split(sep).join('/')}`;
}

/** Only VS Code supports a working directory in an entry. */
const workingFolder = ({ app }: Place): ConfigChange => (app === 'vscode' ? { cwd: `\${workspaceFolder}` } : {});

/** The project folder of a configuration file; for a file of no known application, its own folder. */
const projectFolderOf = ({ file }: Place): string => projectOf(file) ?? dirname(file);
