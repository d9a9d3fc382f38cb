/** Computes the binding of an act: a hash of everything that an approval covers. */
import { createHash, createHmac } from 'node:crypto';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Act } from './act.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** HMAC-SHA-256. */
export const keyedSha256 = (key: string | Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex');

/** The data that an act sends: arguments and `_meta`, without `traceparent`, which differs per call and needs no consent. */
export function payloadOf({ arguments: args, meta = {} }: Act): readonly JsonObject[] {
  const { traceparent: _, ...bound } = meta;
  return Object.keys(bound).length === 0 ? [args] : [args, bound];
}

/** Hashes the definition, the destination, the payload and the requesting view. Stored approvals depend on this format. */
export function bindingOf(act: Act): string {
  const { definition, fingerprint, kind, server, name, view } = act;
  const facts = [definition, fingerprint, kind, server, name, ...payloadOf(act)];
  return sha256(canonicalJson(view === undefined ? facts : [...facts, view]));
}
