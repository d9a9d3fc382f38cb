/** Names of items in the host (`shop.refund`) and for models (`shop__refund`). */
import { createHash } from 'node:crypto';

/** Characters outside the set that the protocol recommends for tool names. `~` is outside it too, so it serves as escape character. */
const escapedCharacters = /[^\w.-]/gu;

/**
 * Joins a label and the server's own name with a dot. Labels contain no dots, so a server cannot imitate a name of another server.
 * Other characters are escaped as code points, so that homoglyphs are visible.
 */
export const itemName = (label: string, key: string): string =>
  `${label}.${key.replace(escapedCharacters, (c) => `~${Number(c.codePointAt(0)).toString(16)}~`)}`;

/** Like `itemName`, but a URI is not escaped. */
export const resourceName = (label: string, uri: string): string => `${label}.${uri}`;

/** The label in a name; undefined without a dot. */
export function labelIn(name: string): string | undefined {
  const dot = name.indexOf('.');
  return dot === -1 ? undefined : name.slice(0, dot);
}

/** The limits that the large model APIs share. */
const MAX_EXPORTED = 64;
const exportable = /^[A-Za-z_][\w-]*$/;
const HASH_LENGTH = 16;

/**
 * The name for models, such as `shop__refund`. If it is too long, has characters that APIs reject, or could be mistaken for a name of
 * another server, it is shortened and ends in a hash.
 */
export function exportName(name: string): string {
  const dot = name.indexOf('.');
  const [label, key] = [name.slice(0, dot), name.slice(dot + 1)];
  const plain = `${label}__${key}`;
  const isUnambiguous = plain.indexOf('__') === label.length;
  const isPlain = plain.length <= MAX_EXPORTED && exportable.test(plain) && isUnambiguous;
  return isPlain ? plain : hashName(name);
}

/** The catalogue's form of a name that no tool has, such as `shop.nope` for `shop__nope`. */
export const catalogueName = (name: string): string => (name.includes('.') ? name : name.replace('__', '.'));

function hashName(name: string): string {
  const slug = `${/^[A-Za-z_]/.test(name) ? '' : '_'}${name.replace(/[^\w-]+/g, '_')}`.replace(/_+/g, '_');
  const short = slug.slice(0, MAX_EXPORTED - HASH_LENGTH - 1).replace(/_$/, '');
  return `${short}_${base32(createHash('sha256').update(name).digest()).slice(0, HASH_LENGTH)}`;
}

const letters = 'abcdefghijklmnopqrstuvwxyz234567';

/** Encodes 5 bits per byte: 16 letters are 80 bits of the hash, too many for a server to construct a collision. */
const base32 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
