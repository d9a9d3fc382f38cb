/** Finds the upstream and part of a request, and rewrites the request with the upstream's own names. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { CompletionReference } from '../../model/parts.ts';
import { fitsTemplate } from '../../model/uri-template.ts';
import { type ListName, lists } from '../../revisions/decode-lists.ts';
import type { CallStates } from '../bridge/call-states.ts';
import { audienceOf } from '../bridge/question-capabilities.ts';
import type { ExposedPart, GatewayPolicy, GatewayRequest, PartReference, Retry, RoutedRequest } from '../contract.ts';
import type { PartTable } from '../lists/part-table.ts';
import { hopsOf, MAX_HOPS, requestMeta } from '../names/gateway-meta.ts';
import { requestedName, unknownPart } from '../names/unknown-part.ts';
import type { UnwrappedUri } from '../names/wrapped-uri.ts';
import { NO_LONGER_SERVED } from '../upstreams/upstream-error.ts';
import type { GatewayState } from './gateway-state.ts';
import type { GatewayView } from './gateway-view.ts';

/** Methods that are forwarded to one upstream. */
export const routedMethods: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
]);

/** The suggested retry delay while an upstream has not listed its parts yet. */
const LISTED_MS = 1_000;

export async function routeRequest(
  incoming: GatewayRequest,
  view: GatewayView,
  { states, policy }: Pick<GatewayState, 'states' | 'policy'>,
  onAnswer: RoutedRequest['onAnswer'],
): Promise<RoutedRequest> {
  const { request, link, revision, caller, principal, session, push, logLevel } = incoming;
  checkHops(request.params);
  const { method, params = {} } = request;
  const retry = revision.asks.resumes(request) ? await retryOf(incoming, states) : undefined;
  const found =
    retry === undefined
      ? partOf({ incoming, view, policy })
      : continuedPart(retry.state.part, { incoming, view, policy });
  const part = found instanceof Promise ? await found : found;
  // Written out, because a spread would take longer than the rest of this function.
  return {
    request,
    link,
    revision,
    caller,
    principal,
    view: incoming.view,
    session,
    push,
    logLevel,
    part,
    method,
    params: upstreamParams(method, params, part),
    retry,
    onAnswer,
  };
}

/** Validates before opening, so that a malformed retry does not use up a single-use state. */
async function retryOf(incoming: GatewayRequest, states: CallStates): Promise<Retry | undefined> {
  const { inputResponses = {} } = incoming.request.params ?? {};
  if (!isObject(inputResponses)) throw new RpcError(INVALID_PARAMS, '"params.inputResponses" must be an object');
  const state = await states.open(incoming);
  return state && { state, inputResponses };
}

export function checkHops(params: JsonObject | undefined): void {
  const hops = hopsOf(params);
  if (hops >= MAX_HOPS) throw new RpcError(INTERNAL_ERROR, `Too many hops: ${hops} gateways in a row`);
}

function upstreamParams(method: string, params: JsonObject, { key, kind }: ExposedPart): JsonObject {
  const _meta = requestMeta(params);
  if (method === 'resources/read') return { uri: key, _meta };
  if (method === 'completion/complete') {
    const { argument, context } = params;
    const ref = kind === 'prompt' ? { type: 'ref/prompt', name: key } : { type: 'ref/resource', uri: key };
    return { ref, argument, ...(context === undefined ? {} : { context }), _meta };
  }
  const { arguments: args } = params;
  if (!isWritable(args))
    throw new RpcError(INVALID_PARAMS, `Invalid params for ${method}: a number is too large for JSON`);
  return args === undefined ? { name: key, _meta } : { name: key, arguments: args, _meta };
}

/** 1e400 parses as Infinity and serializes as null: rules would see another value than the upstream. */
function isWritable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isWritable);
}

function partOf(context: RoutingContext): ExposedPart | Promise<ExposedPart> {
  const { request } = context.incoming;
  const { method, params = {} } = request;
  const name = requestedName(request);
  if (method === 'tools/call') return findPart('tools', name, context);
  if (method === 'prompts/get') return findPart('prompts', name, context);
  if (method === 'resources/read') return findResource(name, context);
  const { type } = params['ref'] as CompletionReference; // checkRequest validated the params
  return type === 'ref/prompt' ? findPart('prompts', name, context) : findResource(name, context);
}

interface RoutingContext {
  readonly incoming: GatewayRequest;
  readonly view: GatewayView;
  readonly policy: GatewayPolicy;
}

/** Looks a name up in the table; a label in the name is never trusted. */
function findPart(list: ListName, name: string, context: RoutingContext): ExposedPart | Promise<ExposedPart> {
  const { incoming, view } = context;
  return view.tableNow(list, incoming).byName.get(name) ?? findListed(list, name, context);
}

async function findListed(list: ListName, name: string, context: RoutingContext): Promise<ExposedPart> {
  const { incoming, view } = context;
  const known = (await view.table(list, incoming)).byName.get(name);
  if (known !== undefined) return known;
  // The part may be new, so its list is refetched, within a rate limit.
  const label = view.names.labelIn(name);
  const upstream = label === undefined ? undefined : view.members.get(label)?.upstream;
  if (upstream !== undefined)
    await upstream.refreshList(
      list,
      audienceOf(incoming, upstream.settings.questions),
      hopsOf(incoming.request.params),
    );
  const table = await view.table(list, incoming);
  const found = table.byName.get(name);
  if (found !== undefined) return found;
  if (label !== undefined && table.hidden.includes(label)) throw notListedYetError(list, { label, name }, context);
  throw unknownPart(lists[list].kind, name);
}

/**
 * Asks the caller to retry until the upstream has listed its parts. A caller that must not see the part gets the error of an unknown
 * name.
 */
function notListedYetError(
  list: ListName,
  { label, name }: { readonly label: string; readonly name: string },
  { incoming, view, policy }: RoutingContext,
): RpcError {
  const kind = lists[list].kind;
  const key = name.slice(label.length).replace(/^_+/, '');
  const isVisible =
    view.includes(label, list, key) && policy.lists({ label, kind, key, name, definition: {} }, incoming);
  if (!isVisible) return unknownPart(kind, name);
  const why = `The server ${label} has not listed its ${list} yet`;
  return new RpcError(INTERNAL_ERROR, why, { outcome: 'not-sent', label, retryAfterMs: LISTED_MS });
}

/** Routes a URI with a label to that upstream, listed or not. A URI without one must match parts of exactly one upstream. */
async function findResource(uri: string, context: RoutingContext): Promise<ExposedPart> {
  const { incoming, view } = context;
  const wrapped = view.names.unwrap(uri);
  const listedName = wrapped === undefined ? uri : view.names.uriOf(wrapped.label, wrapped.uri);
  // Without waiting for lists, so that an upstream that lists slowly delays no resource that is known.
  const known = listedAs(listedName, [view.tableNow('resources', incoming), view.tableNow('templates', incoming)]);
  if (known !== undefined) return known;
  const tables = await Promise.all([view.table('resources', incoming), view.table('templates', incoming)]);
  const listed = listedAs(listedName, tables);
  if (listed !== undefined) return listed;
  const owned = wrapped ?? onlyOwner(uri, tables, context);
  if (owned === undefined) throw unknownPart('resource', uri);
  const { label, uri: key } = owned;
  const part: ExposedPart = {
    label,
    kind: 'resource',
    key,
    name: view.names.uriOf(label, key),
    definition: { uri: key },
  };
  if (!view.includesUnlisted(label, key) || 'withheld' in view.screen(part)) throw unknownPart('resource', uri);
  return part;
}

const listedAs = (name: string, tables: readonly PartTable[]): ExposedPart | undefined =>
  tables.map(({ byName }) => byName.get(name)).find((part) => part !== undefined);

/** The only upstream with parts that match this URI, among the parts that the caller sees: hidden ones must not make a difference. */
function onlyOwner(
  uri: string,
  tables: readonly PartTable[],
  { incoming, view, policy }: RoutingContext,
): UnwrappedUri | undefined {
  const claims = claimsOf(
    uri,
    tables.flatMap(({ parts }) => parts),
    (part) => policy.lists(part, incoming),
  );
  const mayClaim = (label: string): boolean =>
    view.includesUnlisted(label, uri) &&
    policy.lists({ label, kind: 'resource', key: uri, name: uri, definition: { uri } }, incoming);
  const unknown = tables.flatMap(({ hidden }) => hidden.filter(mayClaim));
  const [label, ...others] = new Set([...claims.map((part) => part.label), ...unknown]);
  return label === undefined || claims.length === 0 || others.length > 0 ? undefined : { label, uri };
}

/** Visible parts that match this URI: resources, else templates with a literal scheme. */
function claimsOf(
  uri: string,
  parts: readonly ExposedPart[],
  isVisible: (part: ExposedPart) => boolean,
): readonly ExposedPart[] {
  const exact = parts.filter((part) => part.kind === 'resource' && part.key === uri && isVisible(part));
  if (exact.length > 0) return exact;
  return parts.filter((part) => part.kind === 'template' && matchesTemplate(part.key, uri) && isVisible(part));
}

const matchesTemplate = (template: string, uri: string): boolean =>
  /^[a-z][a-z0-9+.-]*:/i.test(template) && fitsTemplate(template, uri);

/** The part that a retry continues. The view must still have it. */
async function continuedPart({ label, kind, key }: PartReference, context: RoutingContext): Promise<ExposedPart> {
  if (!context.view.members.has(label))
    throw new RpcError(INVALID_PARAMS, `requestState cannot be continued: the server ${label} ${NO_LONGER_SERVED}`);
  const name = context.view.names.nameOf(label, kind, key);
  const part =
    kind === 'tool' || kind === 'prompt'
      ? await findPart(kind === 'tool' ? 'tools' : 'prompts', name, context)
      : await findResource(name, context);
  if (part.label !== label || part.key !== key) throw unknownPart(kind, name);
  return part;
}
