/** `resources/list` of servers whose templates list resources. Never cached, because the list can differ by caller and by call. */
import { badDefinition } from '../../errors.ts';
import { defined, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { missingScopes } from '../../model/auth.ts';
import { metaFault } from '../../model/meta.ts';
import type { Resource } from '../../model/parts.ts';
import { isUri } from '../../model/uri-template.ts';
import { valueKind } from '../../model/value-kind.ts';
import { encodeResource, pickKnown } from '../../revisions/encode.ts';
import type { CallDetails, HandlerCall } from '../call.ts';
import type { ListEntry, PartCatalogue } from '../catalogue.ts';
import type { iconFault, MemberNames, strayFault } from '../definition.ts';
import type { DefinedResource } from '../part.ts';
import type { ListedResource } from '../resource.ts';
import type { readCursor, writeCursor } from './cursor-page.ts';

/** Passed in, because importing them would split the entry point into more files. */
export interface ListingFunctions {
  readonly iconFault: typeof iconFault;
  readonly readCursor: typeof readCursor;
  readonly strayFault: typeof strayFault;
  readonly writeCursor: typeof writeCursor;
}

interface ListingContext extends CallDetails {
  readonly call: HandlerCall;
  readonly functions: ListingFunctions;
}

/** Resources that one template can list. Its `list` is called for each page, and our client reads no longer list. */
const MAX_LISTED = 10_000;

/** The place of a part; if a page ended within the list of a template, also the index and the URI of its last resource. */
const POSITION = /^(\w+) ([1-9]\d{0,14})(?: (\d{1,4}) (.+))?$/;

interface ListPosition {
  readonly place: number;
  readonly within?: { readonly index: number; readonly uri: string };
}

interface ListedItem {
  readonly item: JsonObject;
  /** The position for the cursor of a page that ends with this item. */
  readonly position: string;
}

/** The page after the cursor: parts in the order that they were added, with the listed resources in place of each template. */
export async function listResources(
  fixed: readonly ListEntry[],
  cursor: unknown,
  serving: ListingContext,
): Promise<JsonObject> {
  const { revision, settings, functions } = serving;
  const start: ListPosition = cursor === undefined ? { place: 0 } : positionIn(cursor, functions);
  const resources: JsonObject[] = [];
  let end = '';
  let nextCursor: string | undefined;
  for await (const { item, position } of itemsAfter(start, fixed, serving)) {
    if (resources.length === settings.pageSize) {
      nextCursor = functions.writeCursor('resources', end);
      break;
    }
    resources.push(item);
    end = position;
  }
  const page = { resources, nextCursor, ...settings.hints, cacheScope: 'private' };
  return pickKnown(revision.vocabulary, 'ListResult', page);
}

function positionIn(cursor: unknown, functions: ListingFunctions): ListPosition {
  const [place, index, uri] = functions.readCursor('resources', cursor, POSITION);
  return { place: Number(place), ...(uri === undefined ? {} : { within: { index: Number(index), uri } }) };
}

async function* itemsAfter(
  start: ListPosition,
  fixed: readonly ListEntry[],
  serving: ListingContext,
): AsyncGenerator<ListedItem, void, void> {
  const { catalogue, revision, call } = serving;
  const templates = catalogue.list('resourceTemplates', revision.vocabulary);
  const entries = [...fixed, ...templates].sort((one, other) => one.place - other.place);
  for (const { place, item, part } of entries) {
    const within = place === start.place ? start.within : undefined;
    if (place < start.place || (place === start.place && within === undefined)) continue;
    // Every entry is a resource, or a template of them.
    const { template, list } = part as DefinedResource;
    if (template === undefined) yield { item, position: `${place}` };
    else if (list !== undefined && canList(part as DefinedResource, call)) {
      yield* templateItems(place, within, part as DefinedResource, serving);
    }
  }
}

/** Names of resources are data, so listing them needs the scopes of the template, even if every caller can see its definition. */
const canList = (part: DefinedResource, { auth, caller }: HandlerCall): boolean =>
  (auth === undefined || missingScopes(part.scopes, auth.scopes).length === 0) && part.isListedFor?.(caller) !== false;

async function* templateItems(
  place: number,
  within: ListPosition['within'],
  part: DefinedResource,
  { catalogue, revision, call, functions }: ListingContext,
): AsyncGenerator<ListedItem, void, void> {
  call.signal.throwIfAborted();
  call.what = `the list of resource "${part.uri}"`;
  const listed: unknown = await part.list?.(call.withoutQuestions());
  if (!Array.isArray(listed)) throw badDefinition(call.what, `must be an array of { uri }, not ${valueKind(listed)}`);
  if (listed.length > MAX_LISTED) {
    const advice = 'List those that matter: the others can be read as well';
    throw badDefinition(call.what, `has ${listed.length} resources, and ${MAX_LISTED} is the limit. ${advice}`);
  }
  const seen = new Set<string>();
  for (let index = within === undefined ? 0 : indexAfter(within, listed); index < listed.length; index++) {
    const given: unknown = listed[index];
    const fault = uriFault(given, part, catalogue) ?? memberFault(given as ListedResource, functions);
    if (fault !== undefined) throw badDefinition(call.what, `item ${index}: ${fault}`);
    const resource = given as ListedResource; // uriFault and memberFault checked it
    const { uri } = resource;
    if (seen.has(uri)) throw badDefinition(call.what, `item ${index}: "${uri}" is listed twice`);
    seen.add(uri);
    // A fixed resource with this URI takes precedence, and is listed by itself.
    if (catalogue.resources.has(uri)) continue;
    const position = index === listed.length - 1 ? `${place}` : `${place} ${index} ${uri}`;
    yield { item: encodeResource(revision.vocabulary, withDefaults(resource, part)), position };
  }
}

/** The index after the resource that the last page ended with. If that is gone, the next one has moved to its index. */
function indexAfter({ index, uri }: NonNullable<ListPosition['within']>, listed: readonly unknown[]): number {
  const isLast = (item: unknown): boolean => isObject(item) && item['uri'] === uri;
  if (isLast(listed[index])) return index + 1;
  const found = listed.findIndex(isLast);
  return found === -1 ? index : found + 1;
}

const members: MemberNames<ListedResource> = {
  ...{ uri: 1, name: 1, title: 1, description: 1, icons: 1, meta: 1, mimeType: 1, size: 1, annotations: 1 },
};
const texts = ['name', 'title', 'description', 'mimeType'] as const;

/** Why an item cannot be listed by this template. */
function uriFault(item: unknown, part: DefinedResource, catalogue: PartCatalogue): string | undefined {
  if (!isObject(item)) return `must be an object with a "uri", not ${valueKind(item)}`;
  const { uri } = item;
  if (typeof uri !== 'string') return `"uri" must be text, not ${valueKind(uri)}`;
  const [start = ''] = part.uri.split('{', 1);
  if (!uri.startsWith(start)) return `"${uri.slice(0, 200)}" must begin with "${start}", as the template does`;
  if (!isUri(uri) || part.template?.match(uri) === undefined)
    return `"${uri.slice(0, 200)}" does not fit the template. Encode what you fill in with encodeURIComponent`;
  const reader = catalogue.locate(uri)?.part;
  if (reader !== part && reader?.template !== undefined)
    return `"${uri}" is read by "${reader.uri}", which comes first. Add "${part.uri}" before it`;
  return undefined;
}

/** Why a member of an item is invalid. Items are built from data, so all members are checked. */
function memberFault(item: ListedResource, { iconFault, strayFault }: ListingFunctions): string | undefined {
  const { uri, size = 0, annotations = {}, icons = [], meta = {} } = item;
  const text = texts.find((name) => item[name] !== undefined && typeof item[name] !== 'string');
  const fault =
    strayFault(item, members) ??
    (text && `"${text}" must be text, not ${valueKind(item[text])}`) ??
    (Number.isSafeInteger(size) && size >= 0
      ? undefined
      : `"size" must be a number of bytes, not ${valueKind(size)}`) ??
    (isObject(annotations) && isObject(meta) ? undefined : '"annotations" and "meta" must be objects') ??
    (areIcons(icons) ? undefined : '"icons" must be a list of { src }') ??
    metaFault(meta) ??
    iconFault(icons);
  return fault && `${fault}, of "${uri}"`;
}

const areIcons = (icons: unknown): boolean =>
  Array.isArray(icons) && icons.every((icon) => isObject(icon) && typeof icon['src'] === 'string');

/** Takes missing members from the template. Not the title if the item has a name: clients would show the title instead. */
function withDefaults({ meta, ...own }: ListedResource, { definition }: DefinedResource): JsonObject {
  const { title, description, icons, mimeType, annotations, _meta } = definition;
  const shared = { ...(own.name === undefined ? { title } : {}), description, icons, mimeType, annotations };
  const item = { name: own.uri, ...shared, ...defined<ListedResource>(own), _meta: meta ?? _meta };
  // A copy, as JSON would transmit it: callers in the same process must not get the author's objects.
  return JSON.parse(JSON.stringify(item)) as Resource; // a JSON round trip
}
