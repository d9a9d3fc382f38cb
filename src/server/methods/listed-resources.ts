/** `resources/list` where templates list resources too. It can differ by caller and from one call to the next: nothing of it is kept. */
import { badDefinition } from '../../errors.ts';
import { defined, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { missingScopes } from '../../model/auth.ts';
import { metaFault } from '../../model/meta.ts';
import type { Resource } from '../../model/parts.ts';
import { isUri } from '../../model/uri-template.ts';
import { valueKind } from '../../model/value-kind.ts';
import { encodeResource, pickKnown } from '../../revisions/encode.ts';
import type { CallFacts, HandlerCall } from '../call.ts';
import type { ListEntry, PartCatalogue } from '../catalogue.ts';
import type { ResourceListContext } from '../context.ts';
import type { iconFault, MemberNames, strayFault } from '../definition.ts';
import type { DefinedResource } from '../part.ts';
import type { ListedResource } from '../resource.ts';
import type { readCursor, writeCursor } from './cursor-page.ts';

/** Given, because importing them would split the entry point into more files. */
export interface ListingFunctions {
  readonly iconFault: typeof iconFault;
  readonly readCursor: typeof readCursor;
  readonly strayFault: typeof strayFault;
  readonly writeCursor: typeof writeCursor;
}

interface ListingContext extends CallFacts {
  readonly call: HandlerCall;
  readonly functions: ListingFunctions;
}

/** What one template can list. Its function is called for each page, and a client of ours reads no longer list. */
const MAX_LISTED = 10_000;

/** The place of a part; where the page ended within the list of a template, the index and the URI of its last resource too. */
const POSITION = /^(\w+) ([1-9]\d{0,14})(?: (\d{1,4}) (.+))?$/;

interface ListPosition {
  readonly place: number;
  readonly within?: { readonly index: number; readonly uri: string };
}

interface ListedItem {
  readonly item: JsonObject;
  /** Where a page after this one begins. */
  readonly position: string;
}

/** The page after the cursor: parts in the order that they were added, each template with the resources that it lists. */
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

/** Names of resources are data, which the scopes of a template guard, also where its definition is listed for everyone. */
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
  const listed: unknown = await part.list?.(contextOf(call));
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
    const resource = given as ListedResource; // it was just looked at
    const { uri } = resource;
    if (seen.has(uri)) throw badDefinition(call.what, `item ${index}: "${uri}" is listed twice`);
    seen.add(uri);
    // A resource with this URI of its own is the one that is read.
    if (catalogue.resources.has(uri)) continue;
    const position = index === listed.length - 1 ? `${place}` : `${place} ${index} ${uri}`;
    yield { item: encodeResource(revision.vocabulary, withDefaults(resource, part)), position };
  }
}

/** A list cannot ask: the protocol has no way back from a question to a list. */
function contextOf(call: HandlerCall): ResourceListContext<never> {
  const { auth, caller, principal, signal } = call;
  return {
    ...{ auth, caller, principal, signal },
    get env(): never {
      return call.env;
    },
  };
}

/** After the resource that the last page ended with. If it is gone, the next one has moved to its index. */
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

/** What keeps an item from being listed under this template. */
function uriFault(item: unknown, part: DefinedResource, catalogue: PartCatalogue): string | undefined {
  if (!isObject(item)) return `must be an object with a "uri", not ${valueKind(item)}`;
  const { uri } = item;
  if (typeof uri !== 'string') return `"uri" must be text, not ${valueKind(uri)}`;
  if (!isUri(uri) || part.template?.match(uri) === undefined)
    return `"${uri.slice(0, 200)}" does not fit the template. Encode what you fill in with encodeURIComponent`;
  const reader = catalogue.locate(uri)?.part;
  if (reader !== part && reader?.template !== undefined)
    return `"${uri}" is read by "${reader.uri}", which comes first. Add "${part.uri}" before it`;
  return undefined;
}

/** An item is made of data, so all of it is looked at. */
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

/** What an item leaves out is taken from its template. Not its title where the item has a name: clients show the title instead. */
function withDefaults({ meta, ...own }: ListedResource, { definition }: DefinedResource): JsonObject {
  const { title, description, icons, mimeType, annotations, _meta } = definition;
  const shared = { ...(own.name === undefined ? { title } : {}), description, icons, mimeType, annotations };
  const item = { name: own.uri, ...shared, ...defined<ListedResource>(own), _meta: meta ?? _meta };
  // As on the wire: in memory, what the author holds stays the author's.
  return JSON.parse(JSON.stringify(item)) as Resource; // what was written is read
}
