/** Loads a module of the user's for the server in it. */
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { McpError } from '../../errors.ts';
import type { Servable } from '../../peer/exchange.ts';
import { takeOver } from '../../transport/take-over.ts';
import type { Shell } from '../shell.ts';
import { exportedServer, type WantedExport } from './exported-server.ts';
import { loadFault } from './load-fault.ts';
import { quietConsole } from './quiet-console.ts';
import { allowTypeScript } from './typescript.ts';

export interface ModuleFile extends WantedExport {
  readonly file: string;
}

type LoadShell = Pick<Shell, 'cwd' | 'self' | 'stdin'>;

/** The server of a module. One that the module would serve itself is taken over. */
export async function loadServer(module: ModuleFile, shell: Omit<LoadShell, 'stdin'>): Promise<Servable> {
  const given = takingOver(['stdio', 'http']);
  try {
    return await Promise.race([given.server, loaded(module, shell).then((found) => exportedServer(found, module))]);
  } finally {
    given.end();
  }
}

/** The same for standard input; without a server when the module has begun to read that, and so serves itself. */
export async function loadForStdio(
  module: ModuleFile,
  shell: LoadShell,
): Promise<{ readonly server?: Servable; readonly loading: Promise<unknown> }> {
  const given = takingOver(['http']);
  const loading = loaded(module, shell);
  // A failure is reported where it is awaited.
  loading.catch(() => undefined);
  const serves = taken(shell.stdin);
  try {
    const exported = loading.then(async (found) =>
      isTaken(shell.stdin) ? undefined : await exportedServer(found, module),
    );
    const server = await Promise.race([given.server, exported, serves.promise]);
    return server === undefined ? { loading } : { server, loading };
  } finally {
    serves.end();
    given.end();
  }
}

/** What the module would serve on these. It waits there until the process ends. */
function takingOver(transports: readonly string[]): { readonly server: Promise<Servable>; end(): void } {
  let give: (server: Servable) => void = () => undefined;
  const server = new Promise<Servable>((resolve) => {
    give = resolve;
  });
  const end = takeOver((served, transport) => {
    if (!transports.includes(transport)) return undefined;
    give(served);
    return new Promise(() => undefined);
  });
  return { server, end };
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

/** When the module begins to read. */
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
