/** One list of an upstream, read to its end within limits. */

import { createListing } from '../../client/listing.ts';
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { cacheHintsOf } from '../../revisions/decode.ts';
import { decodePage, isMissingList, type ListKind, type ListName, lists } from '../../revisions/decode-lists.ts';
import type { UpstreamClient } from '../contract.ts';
import { HOPS } from '../names/gateway-meta.ts';

/** How far the list of an upstream is followed. */
const limits = { maxPages: 64, maxItems: 10_000, maxRounds: 0 };
const MAX_LIST_LENGTH = 16 * 1024 * 1024;

export interface FetchedList {
  readonly items: readonly JsonObject[];
  /** The text of the items: equal lists have equal texts. */
  readonly text: string;
  /** How long it can be kept; undefined where the revision of the upstream does not say. */
  readonly ttlMs: number | undefined;
  readonly isPublic: boolean;
}

export interface FetchContext {
  readonly hops: number;
  readonly signal: AbortSignal;
  warn(warning: string): void;
}

export async function fetchList(client: UpstreamClient, name: ListName, context: FetchContext): Promise<FetchedList> {
  const kind = lists[name] as ListKind<JsonObject>; // an item of any kind is an object
  const { cacheable } = client.revision.methods.requests.get(kind.method) ?? {};
  let ttlMs: number | undefined;
  let isPublic = true;
  let length = 0;
  const texts: string[] = [];
  const listing = createListing<JsonObject>({
    kind,
    limits,
    warn: context.warn,
    forget: () => undefined,
    async page(cursor) {
      const _meta = { [HOPS]: context.hops + 1 };
      const params = cursor === undefined ? { _meta } : { cursor, _meta };
      const result = await client.request(kind.method, params, { signal: context.signal, capabilities: {} });
      const hints = cacheHintsOf(result);
      if (cacheable === true) ttlMs = Math.min(ttlMs ?? hints.ttlMs, hints.ttlMs);
      isPublic &&= hints.cacheScope === 'public';
      const page = decodePage(kind, result, context.warn);
      const text = JSON.stringify(page.items);
      texts.push(text);
      length += text.length;
      if (length > MAX_LIST_LENGTH) throw tooLarge(kind.method);
      return { ...page, session: undefined };
    },
  });
  try {
    const items = await listing.all();
    return { items, text: texts.join(), ttlMs, isPublic };
  } catch (error) {
    if (isMissingList(error)) return { items: [], text: '', ttlMs, isPublic };
    throw error;
  }
}

const tooLarge = (method: string): McpError =>
  new McpError('MCP_TOO_LARGE', { what: `The answer to ${method}`, limit: MAX_LIST_LENGTH, setting: 'a fixed limit' });
