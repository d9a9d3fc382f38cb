/** What an approval is good for: a hash that changes with anything that would be done. */
import { createHash, createHmac } from 'node:crypto';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Act } from './act.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The same with a key: without it, the hash can be neither made nor checked. */
export const keyedSha256 = (key: string | Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex');

/** What goes along with an act. The id of a trace is another one with each call, and carries nothing that needs consent. */
export function payloadOf({ arguments: args, meta = {} }: Act): readonly JsonObject[] {
  const { traceparent: _, ...bound } = meta;
  return Object.keys(bound).length === 0 ? [args] : [args, bound];
}

/** The definition, where it goes, what goes along, and the view that asks for it. */
export function bindingOf(act: Act): string {
  const { definition, fingerprint, kind, server, name, view } = act;
  const facts = [definition, fingerprint, kind, server, name, ...payloadOf(act)];
  return sha256(canonicalJson(view === undefined ? facts : [...facts, view]));
}
