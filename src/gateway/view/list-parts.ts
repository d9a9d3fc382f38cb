/** The four lists of a view: merged, filtered by policy, and written once for all callers who see the same. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { constantResult } from '../../jsonrpc/write.ts';
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';
import type { Revision } from '../../revisions/contract.ts';
import { type ListName, listNames, lists } from '../../revisions/decode-lists.ts';
import { encodePrompt, encodeResource, encodeTemplate, encodeTool, pickKnown } from '../../revisions/encode.ts';
import type { ExposedPart, GatewayPolicy, GatewayRequest } from '../contract.ts';
import type { PartTable } from '../lists/part-table.ts';
import type { ExposedNames } from '../names/exposed-names.ts';
import type { GatewayState } from './gateway-state.ts';
import type { GatewayView } from './gateway-view.ts';
import { checkHops } from './route-request.ts';

export const listMethods: ReadonlyMap<string, ListName> = new Map(listNames.map((name) => [lists[name].method, name]));

/** A list can be kept for this long by callers who are told of changes. */
const MAX_TTL_MS = 60_000;

export async function listViewParts(
  list: ListName,
  incoming: GatewayRequest,
  { state, view }: { readonly state: GatewayState; readonly view: GatewayView },
): Promise<JsonObject> {
  checkHops(incoming.request.params);
  await state.policy.admitList(incoming);
  const table = await view.table(list, incoming);
  const { parts, key } = visibleParts(table, incoming, state.policy);
  const make = (): JsonObject => listResult(list, parts, { incoming, table, state, view });
  const isFirst = incoming.request.params?.['cursor'] === undefined;
  return isFirst ? view.written.get(table, `${incoming.revision.id} ${key}`, make) : make();
}

interface ListContext {
  readonly incoming: GatewayRequest;
  readonly table: PartTable;
  readonly state: GatewayState;
  readonly view: GatewayView;
}

function listResult(
  list: ListName,
  all: readonly ExposedPart[],
  { incoming, table, state, view }: ListContext,
): JsonObject {
  const { request, revision } = incoming;
  const { parts, nextCursor } = pageOfParts(list, all, request.params?.['cursor']);
  const encoding = { revision, names: view.names, originOf: view.originOf, sharedTitles: table.sharedTitles };
  const hints = view.hintsOf(list, incoming);
  const result = {
    [lists[list].member]: parts.map((part) => encodePart(part, encoding)),
    nextCursor,
    ttlMs: Math.min(hints.ttlMs, MAX_TTL_MS),
    cacheScope: hints.isPublic && !state.policy.dependsOnCaller ? 'public' : 'private',
  };
  return constantResult(revision.lifecycle.stamp(pickKnown(revision.vocabulary, 'ListResult', result), state.info));
}

/** What this caller sees, and a key that is the same for all callers who see the same. */
function visibleParts(
  table: PartTable,
  incoming: GatewayRequest,
  policy: GatewayPolicy,
): { readonly parts: readonly ExposedPart[]; readonly key: string } {
  const visible = table.parts.map((part) => policy.lists(part, incoming));
  if (!visible.includes(false)) return { parts: table.parts, key: 'all' };
  return { parts: table.parts.filter((_, at) => visible[at]), key: visible.map((one) => (one ? 1 : 0)).join('') };
}

/** A part as a list shows it, in the words of the caller's revision. */
const encoders = {
  tool: encodeTool,
  prompt: encodePrompt,
  resource: encodeResource,
  template: encodeTemplate,
} as const;
const nameMembers = { tool: 'name', prompt: 'name', resource: 'uri', template: 'uriTemplate' } as const;

interface EncodingContext {
  readonly revision: Revision;
  readonly names: ExposedNames;
  readonly sharedTitles: ReadonlySet<string>;
  /** The origin of the part's upstream, where it has one. */
  originOf(label: string): string | undefined;
}

function encodePart(part: ExposedPart, context: EncodingContext): JsonObject {
  const { names, sharedTitles } = context;
  const { vocabulary } = context.revision;
  const { kind, name, label, definition } = part;
  const { _meta: meta, title, icons } = definition;
  const shown = {
    ...definition,
    [nameMembers[kind]]: name,
    ...(meta === undefined ? {} : { _meta: names.wrapPage(label, meta) }),
    ...(typeof title === 'string' && sharedTitles.has(title) ? { title: `${title} (${label})` } : {}),
    ...(Array.isArray(icons) ? { icons: icons.filter((icon) => isShown(icon, context.originOf(label))) } : {}),
  };
  return encoders[kind](vocabulary, shown);
}

/** An icon from elsewhere would tell that place who looks at it. */
function isShown(icon: unknown, origin: string | undefined): boolean {
  const src = isObject(icon) ? icon['src'] : undefined;
  if (typeof src !== 'string') return false;
  if (/^data:/i.test(src)) return true;
  return origin?.startsWith('https:') === true && URL.canParse(src) && new URL(src).origin === origin;
}

/** Pages of a merged list. A cursor names the part after which a page ended, so it is good on every node. */
const PAGE_SIZE = 1_000;
const MAX_CURSOR_LENGTH = 16 * 1024;

interface PartPage {
  readonly parts: readonly ExposedPart[];
  readonly nextCursor?: string;
}

function pageOfParts(list: ListName, parts: readonly ExposedPart[], cursor: unknown): PartPage {
  const start = cursor === undefined ? 0 : placeAfter(readCursor(list, cursor), parts);
  const end = start + PAGE_SIZE;
  const last = parts[end - 1];
  if (last === undefined || end >= parts.length) return { parts: start === 0 ? parts : parts.slice(start) };
  const text = `${list} ${last.name}`;
  return { parts: parts.slice(start, end), nextCursor: toBase64Url(new TextEncoder().encode(text)) };
}

function readCursor(list: ListName, cursor: unknown): string {
  const isShort = typeof cursor === 'string' && cursor.length <= MAX_CURSOR_LENGTH;
  const text = new TextDecoder().decode(isShort ? fromBase64Url(cursor) : undefined);
  if (!text.startsWith(`${list} `)) throw unknownCursor();
  return text.slice(list.length + 1);
}

function placeAfter(name: string, parts: readonly ExposedPart[]): number {
  const place = parts.findIndex((part) => part.name === name);
  if (place === -1) throw unknownCursor();
  return place + 1;
}

const unknownCursor = (): RpcError =>
  new RpcError(INVALID_PARAMS, 'Invalid cursor: use the nextCursor of an earlier page');
