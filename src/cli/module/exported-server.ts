/** The server among what a module exports. */
import type { Servable } from '../../peer/exchange.ts';
import { badArgument } from '../arguments.ts';

export interface WantedExport {
  /** The module as it was typed. */
  readonly argument: string;
  /** The name to take, where there are several. */
  readonly name?: string | undefined;
}

const FIX = 'write `export const server = createServer({ … })`';

/** A factory is called where it was named, is the default, or is all there is: calling just any function might do anything. */
export async function exportedServer(module: object, { argument, name }: WantedExport): Promise<Servable> {
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
    throw badArgument(argument, `it exports several servers; choose one with --export: ${names.join(', ')}`);
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
