/** Fetches all pages of one upstream list, within limits. */
import { createListing } from '../../client/listing.ts';
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { limitWarnings } from '../../model/limit-warnings.ts';
import { cacheHintsOf } from '../../revisions/decode.ts';
import { decodePage, isMissingList, type ListKind, type ListName, lists } from '../../revisions/decode-lists.ts';
import type { UpstreamClient } from '../contract.ts';
import { HOPS } from '../names/gateway-meta.ts';

const limits = { maxPages: 64, maxItems: 10_000, maxRounds: 0 };
const MAX_LIST_LENGTH = 16 * 1024 * 1024;
/** More deeply nested definitions are dropped, because recursive code reads them. */
const MAX_DEPTH = 128;

export interface FetchedList {
  readonly items: readonly JsonObject[];
  /** The items as JSON, to detect changes. */
  readonly text: string;
  /** The TTL; undefined if the upstream's revision has none. */
  readonly ttlMs: number | undefined;
  readonly isPublic: boolean;
}

export interface FetchContext {
  readonly hops: number;
  readonly signal: AbortSignal;
  warn(warning: string): void;
}

export async function fetchList(client: UpstreamClient, name: ListName, context: FetchContext): Promise<FetchedList> {
  const kind = lists[name] as ListKind<JsonObject>; // items of every kind are objects
  const { cacheable } = client.revision.methods.requests.get(kind.method) ?? {};
  let ttlMs: number | undefined;
  let isPublic = true;
  let length = 0;
  const texts: string[] = [];
  const warn = limitWarnings(context.warn, kind.method);
  const listing = createListing<JsonObject>({
    kind,
    limits,
    warn,
    forget: () => undefined,
    async page(cursor) {
      const _meta = { [HOPS]: context.hops + 1 };
      const params = cursor === undefined ? { _meta } : { cursor, _meta };
      const result = await client.request(kind.method, params, { signal: context.signal, capabilities: {} });
      const hints = cacheHintsOf(result);
      if (cacheable === true) ttlMs = Math.min(ttlMs ?? hints.ttlMs, hints.ttlMs);
      isPublic &&= hints.cacheScope === 'public';
      const decoded = decodePage(kind, result, warn);
      const page = { ...decoded, items: decoded.items.filter((item) => isShallow(item, kind, warn)) };
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

function isShallow(item: JsonObject, { method, key }: ListKind<JsonObject>, warn: (warning: string) => void): boolean {
  if (!isDeeperThan(MAX_DEPTH, item)) return true;
  warn(`${method} lists ${JSON.stringify(item[key])}, which is nested too deeply and was left out`);
  return false;
}

/** Iterative, because the value may be too deep for recursion. */
function isDeeperThan(most: number, value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth < most && level.length > 0; depth++)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  return level.length > 0;
}

const tooLarge = (method: string): McpError =>
  new McpError('MCP_TOO_LARGE', { what: `The answer to ${method}`, limit: MAX_LIST_LENGTH, setting: 'a fixed limit' });
