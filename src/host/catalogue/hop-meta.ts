/** What of `_meta` belongs to an item or a result, and not to the connection that it came over. */
import type { Meta } from '../../model/content.ts';
import { SERVER_INFO, SUBSCRIPTION_ID } from '../../model/names.ts';
import { protocolMeta } from '../lease/act-messages.ts';

/** They speak of one hop, and would be untrue on the next. */
const hop: ReadonlySet<string> = new Set([...protocolMeta, SERVER_INFO, SUBSCRIPTION_ID]);

/** A result as it may be passed on. */
export function withoutHopMeta<T extends { readonly meta: Meta }>(result: T): T {
  return { ...result, meta: dropHopMeta(result.meta) };
}

/** Unchanged but for those. */
export function dropHopMeta(meta: Meta): Meta {
  const kept = Object.entries(meta).filter(([key]) => !hop.has(key));
  return kept.length === Object.keys(meta).length ? meta : Object.fromEntries(kept);
}
