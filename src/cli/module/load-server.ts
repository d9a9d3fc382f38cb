/** Loads a module of the user's for the server in it. */
import type { Readable } from 'node:stream';
import type { Servable } from '../../peer/exchange.ts';
import { Deferred } from '../../peer/wait.ts';
import { takeOver } from '../../transport/take-over.ts';
import { badArgument } from '../arguments.ts';
import type { Shell } from '../shell.ts';
import { importModule } from './import-module.ts';

export interface ModuleFile extends WantedExport {
  readonly file: string;
}

type LoadShell = Pick<Shell, 'cwd' | 'self' | 'stdin'>;

/** The server of a module. One that the module would serve itself is taken over. */
export async function loadServer(module: ModuleFile, shell: Omit<LoadShell, 'stdin'>): Promise<Servable> {
  const given = takingOver(['stdio', 'http']);
  try {
    return await Promise.race([
      given.server,
      importModule(module, shell).then((found) => exportedServer(found, module)),
    ]);
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
  const loading = importModule(module, shell);
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
  const { promise: server, resolve: give } = new Deferred<Servable>();
  const end = takeOver((served, transport) => {
    if (!transports.includes(transport)) return undefined;
    give(served);
    return new Promise(() => undefined);
  });
  return { server, end };
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

export interface WantedExport {
  /** The module as it was typed. */
  readonly argument: string;
  /** The name to take, where there are several. */
  readonly name?: string | undefined;
}

const FIX = 'write `export const server = createServer({ … })`';

/** A factory is called where it was named, is the default, or is all there is: calling just any function might do anything. */
async function exportedServer(module: object, { argument, name }: WantedExport): Promise<Servable> {
  const found = exportsIn(module);
  if (name !== undefined) {
    const value = await made(found.get(name));
    if (isServer(value)) return value;
    throw badArgument(`--export ${name}`, `${argument} exports no server of that name; ${exportsOf(found)}`);
  }
  const servers = [...new Set([...found.values()].filter(isServer))];
  const byDefault = await made(found.get('default'));
  if (isServer(byDefault)) return byDefault;
  if (servers.length > 1) {
    const names = [...found].filter(([, value]) => isServer(value)).map(([key]) => key);
    throw badArgument(argument, `the module exports several servers; choose one with --export: ${names.join(', ')}`);
  }
  const [only = found.size === 1 ? await made([...found.values()][0]) : undefined] = servers;
  if (isServer(only)) return only;
  throw badArgument(argument, `expected a server made with Mooring, but ${exportsOf(found)}; ${FIX}`);
}

/** `module.exports` of a CommonJS module comes as the default, and its members not always beside it. */
function exportsIn(module: object): ReadonlyMap<string, unknown> {
  const named = Object.entries(module);
  const inner: unknown = 'default' in module ? module.default : undefined;
  const common = typeof inner === 'object' && inner !== null && !isServer(inner) ? Object.entries(inner) : [];
  return new Map<string, unknown>([...common, ...named].filter(([key]) => key !== 'module.exports'));
}

/** By its shape: the module's copy of this package need not be ours. */
const isServer = (value: unknown): value is Servable =>
  typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function';

async function made(value: unknown): Promise<unknown> {
  return typeof value === 'function' && !/^class\b/.test(String(value)) ? await value() : await value;
}

const exportsOf = (found: ReadonlyMap<string, unknown>): string =>
  found.size === 0 ? 'it exports nothing' : `it exports ${[...found.keys()].join(', ')}`;
