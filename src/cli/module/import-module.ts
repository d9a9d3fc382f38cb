/** Imports a module of the user's. What it prints while it loads goes to standard error: standard output is the client's. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { McpError } from '../../errors.ts';
import type { Shell } from '../shell.ts';
import { type FailedModule, loadFault } from './load-fault.ts';

/** Throws `MCP_BAD_ARGUMENT`, with the place in the user's code that failed. */
export async function importModule(module: FailedModule, shell: Pick<Shell, 'cwd' | 'self'>): Promise<object> {
  const { file } = module;
  const loud = quietConsole();
  try {
    if (/\.[cm]?tsx?$/i.test(file)) await allowTypeScript([dirname(file), shell.cwd]);
    return (await import(pathToFileURL(file).href)) as object; // a module is an object
  } catch (thrown) {
    throw thrown instanceof McpError ? thrown : loadFault(thrown, module, shell);
  } finally {
    loud();
  }
}

/** By the user's own `tsx`, if one of these folders has it. Otherwise Node tries alone. */
async function allowTypeScript(folders: readonly string[]): Promise<void> {
  const [loader] = folders.flatMap((folder) => {
    try {
      return [createRequire(join(folder, 'package.json')).resolve('tsx')];
    } catch {
      return [];
    }
  });
  // What `node --import tsx` does.
  if (loader !== undefined) await import(pathToFileURL(loader).href);
}

const LOUD = ['log', 'info', 'debug'] as const;

/** Until the returned function is called. */
function quietConsole(): () => void {
  const own = LOUD.map((name) => [name, console[name]] as const);
  for (const name of LOUD) console[name] = (...words: unknown[]) => console.error(...words);
  return () => {
    for (const [name, print] of own) console[name] = print;
  };
}
