/** Records that hold on to each other: each has the hash of the one before, so that none can be changed, moved or left out unseen. */
import { objectIn } from '../jsonrpc/object-in.ts';
import { canonical } from '../model/canonical.ts';
import type { AuditRecord } from './audit.ts';
import { sha256 } from './binding.ts';

/** Where a chain has got to. Kept elsewhere, it shows whether the end of a chain was cut off. */
export interface Checkpoint {
  /** How many records there are. */
  readonly n: number;
  /** The hash of the last one. */
  readonly hash: string;
}

export const beginning: Checkpoint = { n: 0, hash: '0'.repeat(64) };

/** A record as a line, and where the chain is with it. */
export function linked(record: AuditRecord, after: Checkpoint): { readonly line: string; readonly at: Checkpoint } {
  const body = { ...record, n: after.n + 1, prev: after.hash };
  const hash = sha256(canonical(body));
  return { line: canonical({ ...body, hash }), at: { n: body.n, hash } };
}

export type Link =
  | { readonly record: AuditRecord; readonly at: Checkpoint; readonly prev: string }
  | { readonly fault: string };

/** A line of a chain, if it is one that nobody has changed. */
export function readLink(line: string): Link {
  const value = objectIn(line);
  if (value === undefined) return { fault: 'it is no record' };
  const { hash, ...body } = value;
  const { n, prev, ...record } = body;
  if (typeof n !== 'number' || typeof prev !== 'string' || typeof hash !== 'string')
    return { fault: 'it is no record' };
  if (sha256(canonical(body)) !== hash) return { fault: 'it was changed' };
  return { record: record as unknown as AuditRecord, at: { n, hash }, prev }; // written by us, as its hash says
}

/** What is wrong with a link after another one. */
export function faultAfter(before: Checkpoint, { at, prev }: Extract<Link, { at: Checkpoint }>): string | undefined {
  if (at.n > before.n + 1) return `${at.n - before.n - 1} records before it are missing`;
  if (at.n <= before.n) return 'it is out of order';
  return prev === before.hash ? undefined : 'it does not follow the record before it';
}
