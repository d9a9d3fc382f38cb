/** Answers the four list methods: merges, filters by policy, and caches the encoded result. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { constantResult } from '../../jsonrpc/write.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { type ListName, listNames, lists } from '../../revisions/decode-lists.ts';
import { pickKnown } from '../../revisions/encode.ts';
import type { ExposedPart, GatewayPolicy, GatewayRequest } from '../contract.ts';
import { encodePart, sharedTitlesOf } from '../lists/encode-part.ts';
import { pageOfParts } from '../lists/list-page.ts';
import type { PartTable } from '../lists/part-table.ts';
import type { GatewayState } from './gateway-state.ts';
import type { GatewayView } from './gateway-view.ts';
import { checkHops } from './route-request.ts';

export const listMethods: ReadonlyMap<string, ListName> = new Map(listNames.map((name) => [lists[name].method, name]));

/** Encoded lists that are kept per table. */
const MAX_WRITTEN = 64;
/** The longest TTL that callers get. */
const MAX_TTL_MS = 60_000;

export async function listViewParts(
  list: ListName,
  incoming: GatewayRequest,
  { state, view }: { readonly state: GatewayState; readonly view: GatewayView },
): Promise<JsonObject> {
  checkHops(incoming.request.params);
  await state.policy.count('lists', incoming);
  const table = await view.table(list, incoming);
  const { parts, key } = visibleParts(table, incoming, state.policy);
  const hints = view.hintsOf(list, incoming);
  const context = { incoming, state, view, hints };
  if (incoming.request.params?.['cursor'] !== undefined) return listResult(list, parts, context);
  // Equal lists share a table, but one can be public and another private.
  const as = `${incoming.revision.id} ${hints.ttlMs} ${hints.isPublic} ${key}`;
  const written = table.written.get(as) ?? listResult(list, parts, context);
  setNewest(table.written, as, written, MAX_WRITTEN);
  return written;
}

interface ListContext {
  readonly incoming: GatewayRequest;
  readonly state: GatewayState;
  readonly view: GatewayView;
  readonly hints: ReturnType<GatewayView['hintsOf']>;
}

function listResult(
  list: ListName,
  all: readonly ExposedPart[],
  { incoming, state, view, hints }: ListContext,
): JsonObject {
  const { request, revision } = incoming;
  const { parts, nextCursor } = pageOfParts(list, all, request.params?.['cursor']);
  const encoding = { revision, names: view.names, originOf: view.originOf, sharedTitles: sharedTitlesOf(all) };
  const result = {
    [lists[list].member]: parts.map((part) => encodePart(part, encoding)),
    nextCursor,
    ttlMs: Math.min(hints.ttlMs, MAX_TTL_MS),
    cacheScope: hints.isPublic && !state.policy.dependsOnCaller ? 'public' : 'private',
  };
  return constantResult(revision.lifecycle.stamp(pickKnown(revision.vocabulary, 'ListResult', result), state.info));
}

/** The parts that this caller sees, and a cache key for all callers who see the same. */
function visibleParts(
  table: PartTable,
  incoming: GatewayRequest,
  policy: GatewayPolicy,
): { readonly parts: readonly ExposedPart[]; readonly key: string } {
  const visible = table.parts.map((part) => policy.lists(part, incoming));
  if (!visible.includes(false)) return { parts: table.parts, key: 'all' };
  return { parts: table.parts.filter((_, at) => visible[at]), key: visible.map((one) => (one ? 1 : 0)).join('') };
}
