/** Removes the keys of `_meta` that belong to one connection, like hop-by-hop headers in HTTP. */
import type { Meta } from '../../model/content.ts';
import { SERVER_INFO, SUBSCRIPTION_ID } from '../../model/names.ts';
import { protocolMeta } from '../lease/act-messages.ts';

/** Keys that describe the connection they arrived on. */
const hopKeys: ReadonlySet<string> = new Set([...protocolMeta, SERVER_INFO, SUBSCRIPTION_ID]);

/** Copies a result without hop-by-hop metadata. */
export function withoutHopMeta<T extends { readonly meta: Meta }>(result: T): T {
  return { ...result, meta: dropHopMeta(result.meta) };
}

/** Returns `meta` itself if it has no hop-by-hop keys. */
export function dropHopMeta(meta: Meta): Meta {
  const kept = Object.entries(meta).filter(([key]) => !hopKeys.has(key));
  return kept.length === Object.keys(meta).length ? meta : Object.fromEntries(kept);
}
