/** Loads a user's module, and finds the server that it exports or serves itself. */
import type { Readable } from 'node:stream';
import { readFileText } from '../../files/read-file.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { Servable } from '../../peer/exchange.ts';
import { Deferred } from '../../peer/wait.ts';
import { installTakeOver } from '../../transport/take-over.ts';
import { badArgument } from '../arguments.ts';
import type { Shell } from '../shell.ts';
import { importModule } from './import-module.ts';

export interface ModuleFile extends WantedExport {
  readonly file: string;
}

type LoadShell = Pick<Shell, 'cwd' | 'self' | 'stdin'>;

/** The server of a module. Intercepts `serveStdio` and `serveHttp` calls of the module, and returns their server. */
export async function loadServer(module: ModuleFile, shell: Omit<LoadShell, 'stdin'>): Promise<Servable> {
  const intercepted = interceptServe(['stdio', 'http']);
  try {
    return await Promise.race([
      intercepted.server,
      importModule(module, shell).then((found) => exportedServer(found, module)),
    ]);
  } finally {
    intercepted.end();
  }
}

/** Like `loadServer`, for stdio. Without `server` if the module serves stdin itself. */
export async function loadForStdio(
  module: ModuleFile,
  shell: LoadShell,
): Promise<{ readonly server?: Servable; readonly loading: Promise<unknown> }> {
  const intercepted = interceptServe(['http']);
  const loading = importModule(module, shell);
  // The caller awaits `loading`; avoids an unhandled rejection before that.
  loading.catch(() => undefined);
  const reading = whenRead(shell.stdin);
  try {
    const exported = loading.then(async (found) =>
      isRead(shell.stdin) ? undefined : await exportedServer(found, module),
    );
    const server = await Promise.race([intercepted.server, exported, reading.promise]);
    return server === undefined ? { loading } : { server, loading };
  } finally {
    reading.end();
    intercepted.end();
  }
}

/** Intercepts a server that the module serves over one of these transports. The module's serve call never resolves. */
function interceptServe(transports: readonly string[]): { readonly server: Promise<Servable>; end(): void } {
  const { promise: server, resolve: give } = new Deferred<Servable>();
  const end = installTakeOver((served, transport) => {
    if (!transports.includes(transport)) return undefined;
    give(served);
    return new Promise(() => undefined);
  });
  return { server, end };
}

const isRead = (input: Readable): boolean =>
  input.listenerCount('data') + input.listenerCount('readable') > 0 || input.destroyed || input.readableEnded;

/** Resolves when the module starts to read `input`. */
function whenRead(input: Readable): { readonly promise: Promise<undefined>; end(): void } {
  let onListener: (event: string | symbol) => void = () => undefined;
  const promise = new Promise<undefined>((resolve) => {
    onListener = (event) => {
      if (event === 'data' || event === 'readable') resolve(undefined);
    };
    input.on('newListener', onListener);
  });
  return { promise, end: () => void input.off('newListener', onListener) };
}

export interface WantedExport {
  /** The module as it was typed. */
  readonly argument: string;
  /** The export to use (`--export`). */
  readonly name?: string | undefined;
}

const OTHER_SDK = 'start a server of another SDK, and give its URL, or its command if it serves stdio: -- npx tsx ';

/** Calls a function only if it is the named, the default or the only export: any other can have side effects. */
async function exportedServer(module: object, { argument, name, file }: ModuleFile): Promise<Servable> {
  const found = exportsIn(module);
  if (name !== undefined) {
    const value = await callFactory(found.get(name));
    if (isServer(value)) return value;
    throw badArgument(`--export ${name}`, `${argument} exports no server with this name; ${exportsOf(found)}`);
  }
  const servers = [...new Set([...found.values()].filter(isServer))];
  const byDefault = await callFactory(found.get('default'));
  if (isServer(byDefault)) return byDefault;
  if (servers.length > 1) {
    const names = [...found].filter(([, value]) => isServer(value)).map(([key]) => key);
    throw badArgument(argument, `the module exports several servers; choose one with --export: ${names.join(', ')}`);
  }
  const [only = found.size === 1 ? await callFactory([...found.values()][0]) : undefined] = servers;
  if (isServer(only)) return only;
  const parts = [...found].filter(([, value]) => isPart(value)).map(([key]) => key);
  const spec = parts.length === 0 ? '…' : `name, version, parts: [${parts.join(', ')}]`;
  const fix = (await usesOtherSdk(file))
    ? `${OTHER_SDK}${argument}`
    : `write \`export const server = createServer({ ${spec} })\``;
  throw badArgument(argument, `expected a server made with Mooring, but ${exportsOf(found)}; ${fix}`);
}

/** Whether the module itself imports an SDK whose servers cannot be loaded, because they serve themselves. */
async function usesOtherSdk(file: string): Promise<boolean> {
  const text = await readFileText(file, { maxBytes: 1_000_000 }).catch(() => undefined);
  return /(?:from|require\()\s*["'](?:@modelcontextprotocol\/(?:sdk|server)|fastmcp)\b/.test(text ?? '');
}

/** Adds the members of `module.exports`: Node exposes a CommonJS module as the default export, and not all members by name. */
function exportsIn(module: object): ReadonlyMap<string, unknown> {
  const named = Object.entries(module);
  const inner: unknown = 'default' in module ? module.default : undefined;
  const common = typeof inner === 'object' && inner !== null && !isServer(inner) ? Object.entries(inner) : [];
  return new Map<string, unknown>([...common, ...named].filter(([key]) => key !== 'module.exports'));
}

/** Duck typing, because the module can use another copy of this package. */
const isServer = (value: unknown): value is Servable =>
  typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function';

/** Duck typing, for the same reason. */
const isPart = (value: unknown): boolean =>
  isObject(value) && ['tool', 'resource', 'prompt'].includes(String(value['kind']));

async function callFactory(value: unknown): Promise<unknown> {
  return typeof value === 'function' && !/^class\b/.test(String(value)) ? await value() : await value;
}

const exportsOf = (found: ReadonlyMap<string, unknown>): string =>
  found.size === 0 ? 'it exports nothing' : `it exports ${[...found.keys()].join(', ')}`;
