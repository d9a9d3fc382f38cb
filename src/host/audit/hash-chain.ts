/** The hash chain of the audit log: each record contains the hash of the previous one, so a changed, moved or missing record is detected. */
import { parseObject } from '../../jsonrpc/read.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { keyedSha256, sha256 } from '../act/binding.ts';
import type { AuditRecord } from './audit.ts';

/** The head of a chain. Stored elsewhere, it detects truncation of the log. */
export interface Checkpoint {
  /** The number of records. */
  readonly n: number;
  /** The hash of the last record. */
  readonly hash: string;
}

/** An HMAC key of at least 32 bytes. Only a process with the key can write or rebuild the chain. */
export type AuditKey = string | Uint8Array;

export const CHAIN_START: Checkpoint = { n: 0, hash: '0'.repeat(64) };

/** Serializes a record as a line that follows `after`, and returns the new head. */
export function chainRecord(
  record: AuditRecord,
  after: Checkpoint,
  key?: AuditKey | undefined,
): { readonly line: string; readonly at: Checkpoint } {
  const body = { ...record, n: after.n + 1, prev: after.hash };
  const hash = digest(body, key);
  // Named `mac` in a keyed chain, so that a reader without the key knows why verification fails.
  return { line: canonicalJson({ ...body, [key === undefined ? 'hash' : 'mac']: hash }), at: { n: body.n, hash } };
}

export type AuditLink =
  | { readonly record: AuditRecord; readonly at: Checkpoint; readonly prev: string }
  | { readonly fault: string; readonly needsKey?: true };

/** Parses and verifies one line of a chain. */
export function readLink(line: string, key?: AuditKey | undefined): AuditLink {
  const value = parseObject(line);
  if (value === undefined) return { fault: 'not a record' };
  const { hash: plain, mac, ...body } = value;
  const { n, prev, ...record } = body;
  if (key === undefined && mac !== undefined) return { fault: 'written with a key; pass the same key', needsKey: true };
  if (key !== undefined && mac === undefined) return { fault: 'written without a key' };
  const hash = key === undefined ? plain : mac;
  if (typeof n !== 'number' || typeof prev !== 'string' || typeof hash !== 'string') return { fault: 'not a record' };
  // The hash covers the parsed value, so it misses duplicate keys and other spellings of a number.
  if (canonicalJson(value) !== line) return { fault: 'the record was changed: not in canonical form' };
  if (digest(body, key) !== hash)
    return {
      fault: key === undefined ? 'the record was changed' : 'the record was changed, or written with another key',
    };
  return { record: record as unknown as AuditRecord, at: { n, hash }, prev }; // the hash shows that chainRecord wrote it
}

const digest = (body: object, key: AuditKey | undefined): string =>
  key === undefined ? sha256(canonicalJson(body)) : keyedSha256(key, canonicalJson(body));

/** Explains why a record does not follow `before`; undefined if it does. */
export function chainFault(
  before: Checkpoint,
  { at, prev }: Extract<AuditLink, { at: Checkpoint }>,
): string | undefined {
  const missing = at.n - before.n - 1;
  if (missing > 0)
    return missing === 1 ? 'the record before this one is missing' : `${missing} records before this one are missing`;
  if (at.n <= before.n) return 'the record is out of order';
  return prev === before.hash ? undefined : 'the record does not follow the one before it';
}
