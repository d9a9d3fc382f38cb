/** What a host calls the items of its servers, and what models call them. */
import { createHash } from 'node:crypto';

/** What names of tools are made of, as the protocol advises; `~` is free to write down anything else. */
const odd = /[^\w.-]/gu;

/**
 * The label, a dot, and the name that the server chose. A label has no dot, so the first one ends it: no name of one server
 * reads as that of another. Characters that names should not have are spelled out, so that two names that look alike are not.
 */
export const itemName = (label: string, key: string): string =>
  `${label}.${key.replace(odd, (c) => `~${Number(c.codePointAt(0)).toString(16)}~`)}`;

/** A URI stays as it is. */
export const resourceName = (label: string, uri: string): string => `${label}.${uri}`;

/** Undefined where there is no dot, and so no label. */
export function labelIn(name: string): string | undefined {
  const dot = name.indexOf('.');
  return dot === -1 ? undefined : name.slice(0, dot);
}

/** What the large model APIs have in common. */
const MAX_EXPORTED = 64;
const exportable = /^[A-Za-z_][\w-]*$/;
const HASH_LENGTH = 16;

/**
 * A name that models may use: `shop__refund`. Where that would be too long, have characters that are not allowed, or could be
 * read as a name of another server, it ends in a hash instead of being told apart by its two underscores.
 */
export function exportName(name: string): string {
  const dot = name.indexOf('.');
  const [label, key] = [name.slice(0, dot), name.slice(dot + 1)];
  const plain = `${label}__${key}`;
  const readsAs = plain.indexOf('__');
  const isPlain = plain.length <= MAX_EXPORTED && exportable.test(plain) && readsAs === label.length;
  return isPlain ? plain : hashName(name);
}

function hashName(name: string): string {
  const slug = `${/^[A-Za-z_]/.test(name) ? '' : '_'}${name.replace(/[^\w-]+/g, '_')}`.replace(/_+/g, '_');
  const short = slug.slice(0, MAX_EXPORTED - HASH_LENGTH - 1).replace(/_$/, '');
  return `${short}_${base32(createHash('sha256').update(name).digest()).slice(0, HASH_LENGTH)}`;
}

const letters = 'abcdefghijklmnopqrstuvwxyz234567';

/** Eighty bits of it are too many for a server to find a name that has the same. */
const base32 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
