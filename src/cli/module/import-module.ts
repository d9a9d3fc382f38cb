/** Imports a user's module. Redirects its console output to stderr while it loads, because stdout carries the protocol. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { McpError } from '../../errors.ts';
import type { Shell } from '../shell.ts';
import { entryPointFix } from './entry-point-fix.ts';
import { type FailedModule, loadFault, withPlace } from './load-fault.ts';

/** Throws `MCP_BAD_ARGUMENT` with the failing line of the user's code. */
export async function importModule(module: FailedModule, shell: Pick<Shell, 'cwd' | 'self'>): Promise<object> {
  const { file } = module;
  const restoreConsole = redirectConsole();
  try {
    if (/\.[cm]?tsx?$/i.test(file)) await allowTypeScript([dirname(file), shell.cwd]);
    return (await import(pathToFileURL(file).href)) as object; // a module is an object
  } catch (thrown) {
    if (thrown instanceof McpError) throw withPlace(thrown, shell.cwd);
    throw loadFault(thrown, { ...module, fix: await entryPointFix(thrown, file) }, shell);
  } finally {
    restoreConsole();
  }
}

/** Registers the project's `tsx`, if it is installed. Otherwise Node strips the types, if it can. */
async function allowTypeScript(folders: readonly string[]): Promise<void> {
  const [loader] = folders.flatMap((folder) => {
    try {
      return [createRequire(join(folder, 'package.json')).resolve('tsx')];
    } catch {
      return [];
    }
  });
  // Same as `node --import tsx`.
  if (loader !== undefined) await import(pathToFileURL(loader).href);
}

const STDOUT_METHODS = ['log', 'info', 'debug'] as const;

/** Sends console output to stderr, until the returned function is called. */
function redirectConsole(): () => void {
  const originals = STDOUT_METHODS.map((name) => [name, console[name]] as const);
  for (const name of STDOUT_METHODS) console[name] = (...words: unknown[]) => console.error(...words);
  return () => {
    for (const [name, print] of originals) console[name] = print;
  };
}
