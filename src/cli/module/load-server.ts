/** Loads a module of the user's for the server in it. */
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { McpError } from '../../errors.ts';
import type { Servable } from '../../peer/exchange.ts';
import { takeOver } from '../../transport/take-over.ts';
import type { Shell } from '../shell.ts';
import { exportedServer, type Wanted } from './exported-server.ts';
import { loadFault } from './load-fault.ts';
import { quietConsole } from './quiet-console.ts';
import { allowTypeScript } from './typescript.ts';

export interface ModuleFile extends Wanted {
  readonly file: string;
}

/** The server of a module, wherever it leads: one that the module would serve itself is taken over. */
export async function loadServer(module: ModuleFile, shell: Pick<Shell, 'cwd' | 'self'>): Promise<Servable> {
  let give: (server: Servable) => void = () => undefined;
  const given = new Promise<Servable>((resolve) => {
    give = resolve;
  });
  const end = takeOver((server) => {
    give(server);
    // It waits there for the end of serving, which is the end of the process.
    return new Promise(() => undefined);
  });
  try {
    return await Promise.race([given, loaded(module, shell).then((exports) => exportedServer(exports, module))]);
  } finally {
    end();
  }
}

/** The same for standard input; undefined when the module has begun to read it, and so serves itself. */
export async function loadForStdio(
  module: ModuleFile,
  shell: Pick<Shell, 'cwd' | 'self' | 'stdin'>,
): Promise<{ readonly server?: Servable; readonly loading: Promise<unknown> }> {
  const loading = loaded(module, shell);
  // Whoever waits for it hears of a failure.
  loading.catch(() => undefined);
  const serves = taken(shell.stdin);
  const exports = await Promise.race([loading, serves.promise]);
  serves.end();
  if (exports === undefined || isTaken(shell.stdin)) return { loading };
  return { server: await exportedServer(exports, module), loading };
}

async function loaded(module: ModuleFile, shell: Pick<Shell, 'cwd' | 'self'>): Promise<object> {
  const { file } = module;
  const loud = quietConsole();
  try {
    await allowTypeScript(file, [dirname(file), shell.cwd]);
    return (await import(pathToFileURL(file).href)) as object; // a module is an object
  } catch (thrown) {
    throw thrown instanceof McpError ? thrown : loadFault(thrown, module, shell);
  } finally {
    loud();
  }
}

const isTaken = (input: Readable): boolean =>
  input.listenerCount('data') + input.listenerCount('readable') > 0 || input.destroyed || input.readableEnded;

/** When somebody begins to read. */
function taken(input: Readable): { readonly promise: Promise<undefined>; end(): void } {
  let hear: (event: string | symbol) => void = () => undefined;
  const promise = new Promise<undefined>((resolve) => {
    hear = (event) => {
      if (event === 'data' || event === 'readable') resolve(undefined);
    };
    input.on('newListener', hear);
  });
  return { promise, end: () => void input.off('newListener', hear) };
}
