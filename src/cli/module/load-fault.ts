/** Turns the error of a failed import into `MCP_BAD_ARGUMENT`, with the place in the user's code and a fix. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpError } from '../../errors.ts';
import { errorCodeOf } from '../../files/file-fault.ts';
import { badArgument } from '../arguments.ts';
import type { Shell } from '../shell.ts';
import { localFiles } from './local-files.ts';

/** A location in an error's stack or message: path or file URL, line, optional column. */
const PLACE = /((?:file:\/\/\/|\/|[a-z]:[/\\])[^\n()]*?):(\d+)(?::(\d+))?(?=[)\s:]|$)/gi;
/** The importing file, in the error of a missing module. */
const IMPORTER = /(?:Require stack:\n- |imported from )(?:file:\/\/)?(.+)$/m;

const advice: ReadonlyMap<string, string> = new Map([
  [
    'ERR_UNKNOWN_FILE_EXTENSION',
    'this version of Node cannot load TypeScript; run `npm i -D tsx`, use Node 22.18 or newer, or give the compiled .js file',
  ],
  [
    'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
    'Node strips types and does not compile other TypeScript syntax; run `npm i -D tsx`',
  ],
]);

export interface FailedModule {
  /** The module as it was typed. */
  readonly argument: string;
  readonly file: string;
  /** What to do, if it is known; otherwise the message of the error says it. */
  readonly fix?: string | undefined;
}

export function loadFault(
  thrown: unknown,
  { argument, file, fix }: FailedModule,
  shell: Pick<Shell, 'cwd' | 'self'>,
): McpError {
  const known = advice.get(errorCodeOf(thrown) ?? '');
  if (known !== undefined) return badArgument(argument, known);
  const place =
    placeOf(thrown, shell.cwd) ?? (thrown instanceof SyntaxError ? syntaxErrorPlace(file, shell) : undefined);
  return badArgument(
    argument,
    `the module failed while loading${place === undefined ? '' : ` at ${place}`}: ${summaryOf(thrown)}${fix === undefined ? '' : `; ${fix}`}`,
  );
}

/** The error's name and the essential line of its message; Node and compilers append code frames. */
function summaryOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const [first = '', ...rest] = thrown.message.split('\n').filter((line) => line.trim() !== '');
  // esbuild puts the error on the second line, after the location, which is reported separately.
  const verdict = rest.map((line) => /: (?:ERROR|error): (.*)$/.exec(line)?.[1]).find((line) => line !== undefined);
  const fix = /top-level await|import statement outside a module|require\(\) ES Module/i.test(thrown.message)
    ? '; write "type": "module" in package.json'
    : '';
  return `${thrown.name === 'Error' ? '' : `${thrown.name}: `}${verdict ?? first}${fix}`;
}

/** Adds the place in the user's code to an error of this package, such as an invalid definition. */
export function withPlace(error: McpError, cwd: string): McpError {
  const place = placeOf(error, cwd);
  if (place !== undefined) error.message = `${place}: ${error.message}`;
  return error;
}

/** The first location outside of node_modules. */
function placeOf(thrown: unknown, cwd: string): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const text = `${thrown.message}\n${thrown.stack ?? ''}`;
  for (const [, file = '', line, column] of text.matchAll(PLACE)) {
    const path = pathOf(file);
    if (path === undefined || /[/\\]node_modules[/\\]/.test(path)) continue;
    return `${shortenPath(path, cwd)}:${line}${column === undefined ? '' : `:${column}`}`;
  }
  const [, importer] = IMPORTER.exec(text) ?? [];
  return importer === undefined ? undefined : shortenPath(importer, cwd);
}

function shortenPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : short;
}

function pathOf(place: string): string | undefined {
  try {
    const path = place.startsWith('file:') ? fileURLToPath(place.replace(/\?.*$/, '')) : place;
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the line of a syntax error with `node --check`: an import's SyntaxError does not contain it. */
function syntaxErrorPlace(file: string, { cwd, self }: Pick<Shell, 'cwd' | 'self'>): string | undefined {
  for (const one of localFiles(file).filter((name) => /\.[cm]?js$/i.test(name))) {
    const { status, stderr } = spawnSync(self.command, ['--check', one], { encoding: 'utf8' });
    const [, line] = /:(\d+)\r?\n/.exec(stderr) ?? [];
    if (status !== 0 && line !== undefined) return `${shortenPath(one, cwd)}:${line}`;
  }
  return undefined;
}
