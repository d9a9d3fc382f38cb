/** Audit records as a hash chain: each has the hash of the one before, so that a record that was changed, moved or left out is noticed. */
import { parseObject } from '../../jsonrpc/read.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { keyedSha256, sha256 } from '../act/binding.ts';
import type { AuditRecord } from './audit.ts';

/** Where a chain has got to. Kept elsewhere, it shows whether the end of a chain was cut off. */
export interface Checkpoint {
  /** How many records there are. */
  readonly n: number;
  /** The hash of the last one. */
  readonly hash: string;
}

/** A secret of at least 32 bytes. With it, only a process that has it can write or rebuild the chain. */
export type AuditKey = string | Uint8Array;

export const CHAIN_START: Checkpoint = { n: 0, hash: '0'.repeat(64) };

/** A record as a line, and where the chain is with it. */
export function chainRecord(
  record: AuditRecord,
  after: Checkpoint,
  key?: AuditKey | undefined,
): { readonly line: string; readonly at: Checkpoint } {
  const body = { ...record, n: after.n + 1, prev: after.hash };
  const hash = digest(body, key);
  // Another name for the hash of a keyed chain: a reader without the key can say why it cannot verify it.
  return { line: canonicalJson({ ...body, [key === undefined ? 'hash' : 'mac']: hash }), at: { n: body.n, hash } };
}

export type AuditLink =
  | { readonly record: AuditRecord; readonly at: Checkpoint; readonly prev: string }
  | { readonly fault: string; readonly needsKey?: true };

/** A line of a chain, if it is exactly as it was written. */
export function readLink(line: string, key?: AuditKey | undefined): AuditLink {
  const value = parseObject(line);
  if (value === undefined) return { fault: 'not a record' };
  const { hash: plain, mac, ...body } = value;
  const { n, prev, ...record } = body;
  if (key === undefined && mac !== undefined) return { fault: 'written with a key; pass the same key', needsKey: true };
  if (key !== undefined && mac === undefined) return { fault: 'written without a key' };
  const hash = key === undefined ? plain : mac;
  if (typeof n !== 'number' || typeof prev !== 'string' || typeof hash !== 'string') return { fault: 'not a record' };
  // The hash is of the parsed value: a key that stands twice, or a number spelled differently, would pass it.
  if (canonicalJson(value) !== line) return { fault: 'the record was changed: not in canonical form' };
  if (digest(body, key) !== hash)
    return {
      fault: key === undefined ? 'the record was changed' : 'the record was changed, or written with another key',
    };
  return { record: record as unknown as AuditRecord, at: { n, hash }, prev }; // written by us, as its hash says
}

const digest = (body: object, key: AuditKey | undefined): string =>
  key === undefined ? sha256(canonicalJson(body)) : keyedSha256(key, canonicalJson(body));

/** What is wrong with a link after another one. */
export function chainFault(
  before: Checkpoint,
  { at, prev }: Extract<AuditLink, { at: Checkpoint }>,
): string | undefined {
  if (at.n > before.n + 1) return `${at.n - before.n - 1} records before this one are missing`;
  if (at.n <= before.n) return 'the record is out of order';
  return prev === before.hash ? undefined : 'the record does not follow the one before it';
}
