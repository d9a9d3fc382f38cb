/** How `mcp.lock` is written: JSON that reads well, sorted, so that its changes do too. */
import { McpError } from '../../errors.ts';
import { readFileText } from '../../files/read-file.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { hostFileError } from '../act/file-error.ts';
import { hashOf } from './pinnable.ts';

/** A definition that was seen, and whether somebody who may has agreed to it. */
export interface Pin {
  readonly approved: boolean;
  /** Of the definition. */
  readonly hash: string;
  readonly definition: JsonObject;
}

export interface PinnedServer {
  /** The command or the address, as it was shown. */
  readonly address: string;
  /** What it calls itself, which identifies nobody. */
  readonly claims: string;
  /** What it called itself when it was last met with a handshake: as long as it does, it is met with one again. */
  readonly handshake?: string | undefined;
  /** By kind and name: `tool refund`. */
  readonly pins: ReadonlyMap<string, Pin>;
}

/** By label. */
export type Pinned = ReadonlyMap<string, PinnedServer>;

const VERSION = 1;
/** Some thousands of tools with long schemas. */
const MAX_BYTES: number = 64 * 1024 * 1024;
const ABOUT =
  'Definitions of MCP servers as they were first seen and approved. Commit this file; review changes to it like code.';

/** Nothing, where there is no file. What was changed by hand does not fit its hash, and is left out. */
export async function readLock(path: string, warn: (warning: string) => void): Promise<Pinned> {
  const text = await readFileText(path, { maxBytes: MAX_BYTES }).catch((error: unknown) => {
    throw hostFileError(path, error);
  });
  if (text === undefined) return new Map();
  const { servers } = parsed(text, path);
  const all = isObject(servers) ? Object.entries(servers) : [];
  return new Map(all.map(([label, server]) => [label, serverOf(server, (what) => warn(`${path}: ${label}: ${what}`))]));
}

function parsed(text: string, path: string): JsonObject {
  const advice = 'restore it from version control, or delete it to be asked about everything again';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const why = /^(?:<{7}|={7}|>{7})/m.test(text) ? 'it has conflicts from a merge' : 'it is no JSON';
    throw new McpError('MCP_HOST_FILE', { path, why: `${why}; ${advice}` }, { cause });
  }
  if (!isObject(value) || value['lockfile'] !== VERSION)
    throw new McpError('MCP_HOST_FILE', { path, why: `it is no lock file of version ${VERSION}; ${advice}` });
  return value;
}

function serverOf(value: unknown, warn: (what: string) => void): PinnedServer {
  const { address, claims, handshake, parts } = isObject(value) ? value : {};
  const pins = new Map<string, Pin>();
  for (const [id, part] of isObject(parts) ? Object.entries(parts) : []) {
    const pin = pinOf(part);
    if (pin === undefined) warn(`${JSON.stringify(id)} was changed by hand, and counts as never seen`);
    else pins.set(id, pin);
  }
  const met = typeof handshake === 'string' ? { handshake } : {};
  return { address: String(address), claims: String(claims), ...met, pins };
}

function pinOf(value: unknown): Pin | undefined {
  if (!isObject(value) || !isObject(value['definition'])) return undefined;
  const { approved, hash, definition } = value;
  if (typeof approved !== 'boolean' || hash !== pinHash({ approved, definition })) return undefined;
  return { approved, hash: hashOf(definition), definition };
}

/** As it stands in the file, the hash covers the approval too: turning `false` into `true` by hand is noticed. */
const pinHash = ({ approved, definition }: Pick<Pin, 'approved' | 'definition'>): string =>
  hashOf({ approved, definition });

/** All at once: who reads it meanwhile reads the old one. */
export async function writeLock(path: string, pinned: Pinned): Promise<void> {
  await replaceFile(path, lockText(pinned), { mode: 0o666 }).catch((error: unknown) => {
    throw hostFileError(path, error);
  });
}

function lockText(pinned: Pinned): string {
  const servers = members(
    [...pinned].map(([label, { pins, ...about }]) => [
      label,
      {
        ...about,
        parts: members([...pins].map(([id, pin]) => [id, members(Object.entries({ ...pin, hash: pinHash(pin) }))])),
      },
    ]),
  );
  return `${JSON.stringify({ about: ABOUT, lockfile: VERSION, servers }, sortedBelow, 2)}\n`;
}

/** Sorted by name, and without a prototype: names are the servers'. */
function members(entries: readonly (readonly [string, unknown])[]): object {
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) copy[key] = value;
  return copy;
}

const sortedBelow = (_key: string, value: unknown): unknown =>
  isObject(value) ? members(Object.entries(value)) : value;
