/** Why a module could not be loaded, in words that name the place and the fix. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpError } from '../../errors.ts';
import { errorCodeOf } from '../../files/file-fault.ts';
import { badArgument } from '../arguments.ts';
import type { Shell } from '../shell.ts';
import { localFiles } from './local-files.ts';

/** A place in a stack or in front of it: a path or a file URL, a line, perhaps a column. */
const PLACE = /((?:file:\/\/\/|\/|[a-z]:[/\\])[^\n()]*?):(\d+)(?::(\d+))?(?=[)\s:]|$)/gi;
/** Who wanted a module that is not there. */
const IMPORTER = /(?:Require stack:\n- |imported from )(?:file:\/\/)?(.+)$/m;

const advice: ReadonlyMap<string, string> = new Map([
  [
    'ERR_UNKNOWN_FILE_EXTENSION',
    'this Node cannot load TypeScript by itself; run `npm i -D tsx`, use Node 22.18 or newer, or give the compiled .js file',
  ],
  ['ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', 'Node only strips types; run `npm i -D tsx` for the rest of TypeScript'],
]);

export interface FailedModule {
  /** The module as it was typed. */
  readonly argument: string;
  readonly file: string;
}

export function loadFault(
  thrown: unknown,
  { argument, file }: FailedModule,
  shell: Pick<Shell, 'cwd' | 'self'>,
): McpError {
  const known = advice.get(errorCodeOf(thrown) ?? '');
  if (known !== undefined) return badArgument(argument, known);
  const place = placeOf(thrown, shell.cwd) ?? (thrown instanceof SyntaxError ? misspelled(file, shell) : undefined);
  return badArgument(
    argument,
    `the module failed while loading${place === undefined ? '' : ` at ${place}`}: ${said(thrown)}`,
  );
}

/** Name and first lines: what follows in a message of Node or of a compiler is for itself. */
function said(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const [first = '', ...rest] = thrown.message.split('\n').filter((line) => line.trim() !== '');
  // A compiler puts its verdict on a second line, behind the place that is told already.
  const verdict = rest.map((line) => /: (?:ERROR|error): (.*)$/.exec(line)?.[1]).find((line) => line !== undefined);
  const fix = /top-level await|import statement outside a module|require\(\) ES Module/i.test(thrown.message)
    ? '; write "type": "module" in package.json'
    : '';
  return `${thrown.name === 'Error' ? '' : `${thrown.name}: `}${verdict ?? first}${fix}`;
}

/** The first file of the user's own that a stack names. */
function placeOf(thrown: unknown, cwd: string): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const text = `${thrown.message}\n${thrown.stack ?? ''}`;
  for (const [, file = '', line, column] of text.matchAll(PLACE)) {
    const path = pathOf(file);
    if (path === undefined || /[/\\]node_modules[/\\]/.test(path)) continue;
    return `${near(path, cwd)}:${line}${column === undefined ? '' : `:${column}`}`;
  }
  const [, importer] = IMPORTER.exec(text) ?? [];
  return importer === undefined ? undefined : near(importer, cwd);
}

function near(path: string, cwd: string): string {
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

/** Node says where a file cannot be read as code only to who asks it to check that very file. */
function misspelled(file: string, { cwd, self }: Pick<Shell, 'cwd' | 'self'>): string | undefined {
  for (const one of localFiles(file).filter((name) => /\.[cm]?js$/i.test(name))) {
    const { status, stderr } = spawnSync(self.command, ['--check', one], { encoding: 'utf8' });
    const [, line] = /:(\d+)\r?\n/.exec(stderr) ?? [];
    if (status !== 0 && line !== undefined) return `${near(one, cwd)}:${line}`;
  }
  return undefined;
}
