/** What of `_meta` belongs to an item or a result, and not to the connection that it came over. */
import type { Meta } from '../../model/content.ts';
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  LOG_LEVEL,
  PROTOCOL_VERSION,
  SERVER_INFO,
  SUBSCRIPTION_ID,
} from '../../model/names.ts';

/** They speak of one hop, and would be untrue on the next. */
const hop: ReadonlySet<string> = new Set([
  'progressToken',
  PROTOCOL_VERSION,
  CLIENT_INFO,
  CLIENT_CAPABILITIES,
  LOG_LEVEL,
  SERVER_INFO,
  SUBSCRIPTION_ID,
]);

/** A result as it may be passed on. */
export const withoutHopMeta = <T extends { readonly meta: Meta }>(result: T): T => ({
  ...result,
  meta: dropHopMeta(result.meta),
});

/** Unchanged but for those. */
export function dropHopMeta(meta: Meta): Meta {
  const kept = Object.entries(meta).filter(([key]) => !hop.has(key));
  return kept.length === Object.keys(meta).length ? meta : Object.fromEntries(kept);
}
