/** Reads and writes `mcp.lock`: indented, sorted JSON, so that changes can be reviewed as a diff. */
import { Buffer } from 'node:buffer';
import { McpError } from '../../errors.ts';
import { readFileText } from '../../files/read-file.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { throwFileError } from '../act/file-error.ts';
import { hashForm } from './lock-item.ts';

/** A definition as it was seen, and whether it was approved. */
export interface Pin {
  readonly approved: boolean;
  /** The hash of `definition`. */
  readonly hash: string;
  readonly definition: JsonObject;
  /** Approved items that were missing when this one was first seen. Absent once it is approved. */
  readonly replaces?: readonly string[] | undefined;
}

export interface LockedServer {
  /** The command or URL, as displayed. */
  readonly address: string;
  /** The name and version that the server claims, unverified. */
  readonly claims: string;
  /** The claimed name and version of the server that last needed a handshake. The next connection starts with one. */
  readonly handshake?: string | undefined;
  /** By kind and name: `tool refund`. */
  readonly pins: ReadonlyMap<string, Pin>;
}

/** By label. */
export type LockedServers = ReadonlyMap<string, LockedServer>;

const VERSION = 1;
/** Enough for thousands of tools with long schemas. */
const MAX_BYTES: number = 64 * 1024 * 1024;
/** Size limit for one server's entries: a server can offer other definitions each time, and all are stored before approval. */
export const MAX_SERVER_BYTES: number = 8 * 1024 * 1024;
const ABOUT =
  'Definitions of MCP servers as they were first seen and approved. Commit this file; review changes to it like code.';

/** Empty without a file. Drops entries that do not match their hash because they were edited by hand, with a warning. */
export async function readLock(path: string, warn: (warning: string) => void): Promise<LockedServers> {
  const text = await readFileText(path, { maxBytes: MAX_BYTES }).catch(throwFileError(path));
  if (text === undefined) return new Map();
  const { servers } = parseLock(text, path);
  const all = isObject(servers) ? Object.entries(servers) : [];
  return new Map(all.map(([label, server]) => [label, serverOf(server, (what) => warn(`${path}: ${label}: ${what}`))]));
}

function parseLock(text: string, path: string): JsonObject {
  const advice = 'restore it from version control, or delete it to approve everything again';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const why = /^(?:<{7}|={7}|>{7})/m.test(text) ? 'it has merge conflicts' : 'it is not valid JSON';
    throw new McpError('MCP_HOST_FILE', { path, why: `${why}; ${advice}` }, { cause });
  }
  if (!isObject(value) || value['lockfile'] !== VERSION)
    throw new McpError('MCP_HOST_FILE', { path, why: `it is not a lock file of version ${VERSION}; ${advice}` });
  return value;
}

function serverOf(value: unknown, warn: (what: string) => void): LockedServer {
  const { address, claims, handshake, parts } = isObject(value) ? value : {};
  const pins = new Map<string, Pin>();
  for (const [id, part] of isObject(parts) ? Object.entries(parts) : []) {
    const pin = pinOf(part);
    if (pin === undefined) warn(`${JSON.stringify(id)} was edited by hand and counts as new`);
    else pins.set(id, pin);
  }
  const hint = typeof handshake === 'string' ? { handshake } : {};
  return { address: String(address), claims: String(claims), ...hint, pins };
}

function pinOf(value: unknown): Pin | undefined {
  if (!isObject(value) || !isObject(value['definition'])) return undefined;
  const { approved, hash, definition, replaces } = value;
  if (typeof approved !== 'boolean' || hash !== pinHash({ approved, definition })) return undefined;
  const replaced = Array.isArray(replaces) ? { replaces: replaces.map(String) } : {};
  return { approved, hash: hashForm(definition), definition, ...replaced };
}

/** The hash in the file also covers `approved`, so that changing it to `true` by hand is detected. */
const pinHash = ({ approved, definition }: Pick<Pin, 'approved' | 'definition'>): string =>
  hashForm({ approved, definition });

/** Replaces the file atomically. */
export async function writeLock(path: string, pinned: LockedServers): Promise<void> {
  await replaceFile(path, lockText(pinned), { mode: 0o666, maxBytes: MAX_BYTES }).catch(throwFileError(path));
}

function lockText(pinned: LockedServers): string {
  const partsOf = (pins: LockedServer['pins']): object =>
    Object.fromEntries([...pins].map(([id, pin]) => [id, { ...pin, hash: pinHash(pin) }]));
  const servers = Object.fromEntries(
    [...pinned].map(([label, { pins, ...about }]) => [label, { ...about, parts: partsOf(pins) }]),
  );
  return `${JSON.stringify({ about: ABOUT, lockfile: VERSION, servers }, sortMembers, 2)}\n`;
}

/** Compares the size of the file with its limit. Remembers the sizes of servers, because a file at its limit takes long to write. */
export class LockSizes {
  readonly #bytes: WeakMap<LockedServer, number> = new WeakMap();

  fit(pinned: LockedServers): boolean {
    let bytes = 0;
    for (const [label, server] of pinned) bytes += this.#bytesOf(label, server);
    return bytes <= MAX_BYTES;
  }

  /** Of a file with this server alone, which is a little more than its part of the whole. */
  #bytesOf(label: string, server: LockedServer): number {
    const bytes = this.#bytes.get(server) ?? Buffer.byteLength(lockText(new Map([[label, server]])));
    this.#bytes.set(server, bytes);
    return bytes;
  }
}

/** Whether a server's entries exceed `MAX_SERVER_BYTES` in the file, with the indentation, which can be most of their size. */
export function exceedsShare(pins: LockedServer['pins']): boolean {
  let bytes = 0;
  for (const entry of pins) {
    bytes += Buffer.byteLength(JSON.stringify([[[entry]]], null, 2));
    if (bytes > MAX_SERVER_BYTES) return true;
  }
  return false;
}

/** `Object.fromEntries`, because servers choose the names, and it defines `__proto__` as an ordinary member. */
const sortMembers = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
