/** Which part of which upstream a request is about, and the request in the upstream's own names. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { CompletionReference } from '../../model/parts.ts';
import { UriTemplate } from '../../model/uri-template.ts';
import type { ListName } from '../../revisions/decode-lists.ts';
import type { CallStates } from '../bridge/call-states.ts';
import type { ExposedPart, GatewayRequest, PartReference, RoutedRequest } from '../contract.ts';
import { partKinds } from '../lists/part-table.ts';
import { hopsOf, MAX_HOPS, requestMeta } from '../names/gateway-meta.ts';
import type { GatewayView } from './gateway-view.ts';
import { audienceOf } from './request-audience.ts';
import { unknownPart } from './unknown-part.ts';

/** The methods that go to one upstream. */
export const routedMethods: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
]);

export async function routeRequest(of: GatewayRequest, view: GatewayView, states: CallStates): Promise<RoutedRequest> {
  const { request, revision } = of;
  checkHops(request.params);
  const { method, params = {} } = request;
  const state = revision.asks.resumes(request) ? await states.open(of) : undefined;
  const { inputResponses } = params;
  const retry = state && { state, inputResponses: isObject(inputResponses) ? inputResponses : {} };
  const part = retry === undefined ? await partOf(of, view) : await continuedPart(retry.state.part, of, view);
  return { ...of, part, method, params: upstreamParams(method, params, part), retry };
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
  return args === undefined ? { name: key, _meta } : { name: key, arguments: args, _meta };
}

function partOf(of: GatewayRequest, view: GatewayView): ExposedPart | Promise<ExposedPart> {
  const { method, params = {} } = of.request;
  if (method === 'tools/call') return findPart('tools', String(params['name']), { of, view });
  if (method === 'prompts/get') return findPart('prompts', String(params['name']), { of, view });
  if (method === 'resources/read') return findResource(String(params['uri']), { of, view });
  const ref = params['ref'] as CompletionReference; // the params' shape was checked
  return ref.type === 'ref/prompt' ? findPart('prompts', ref.name, { of, view }) : findResource(ref.uri, { of, view });
}

interface RoutingContext {
  readonly of: GatewayRequest;
  readonly view: GatewayView;
}

/** Names are looked up, never taken apart. */
function findPart(list: ListName, name: string, context: RoutingContext): ExposedPart | Promise<ExposedPart> {
  const { of, view } = context;
  return view.tableNow(list, of).byName.get(name) ?? findListed(list, name, context);
}

async function findListed(list: ListName, name: string, { of, view }: RoutingContext): Promise<ExposedPart> {
  const known = (await view.table(list, of)).byName.get(name);
  if (known !== undefined) return known;
  // The upstream can have got it since: its list is fetched again, not too often.
  const label = view.names.labelIn(name);
  const upstream = label === undefined ? undefined : view.members.get(label)?.upstream;
  if (upstream !== undefined) await upstream.refreshList(list, audienceOf(of, upstream), hopsOf(of.request.params));
  const found = (await view.table(list, of)).byName.get(name);
  if (found === undefined) throw unknownPart(partKinds[list], name);
  return found;
}

/** A URI with a label goes there, listed or not. One without is accepted where exactly one upstream has it, or can have it. */
async function findResource(uri: string, { of, view }: RoutingContext): Promise<ExposedPart> {
  const wrapped = view.names.unwrap(uri);
  const resources = await view.table('resources', of);
  const templates = await view.table('templates', of);
  const listed = resources.byName.get(uri) ?? templates.byName.get(uri);
  if (listed !== undefined) return listed;
  if (wrapped !== undefined) {
    const { label, uri: key } = wrapped;
    const name = view.names.uriOf(label, key);
    const exact = resources.byName.get(name) ?? templates.byName.get(name);
    if (exact !== undefined) return exact;
    return unlistedResource({ label, kind: 'resource', key, name, definition: { uri: key } }, view);
  }
  const claims = claimsOf(uri, [...resources.parts, ...templates.parts]);
  const hidden = [...resources.hidden, ...templates.hidden].filter((label) => view.includesUnlisted(label, uri));
  const [only, ...others] = new Set([...claims.map(({ label }) => label), ...hidden]);
  if (only === undefined || claims.length === 0 || others.length > 0) throw unknownPart('resource', uri);
  const name = view.names.uriOf(only, uri);
  return unlistedResource({ label: only, kind: 'resource', key: uri, name, definition: { uri } }, view);
}

function unlistedResource(part: ExposedPart, view: GatewayView): ExposedPart {
  const { label, key, name } = part;
  if (!view.includesUnlisted(label, key) || 'withheld' in view.screen(part)) throw unknownPart('resource', name);
  return part;
}

/** The parts that are this resource, or a template of it whose scheme is written out. */
function claimsOf(uri: string, parts: readonly ExposedPart[]): readonly ExposedPart[] {
  const exact = parts.filter(({ kind, key }) => kind === 'resource' && key === uri);
  if (exact.length > 0) return exact;
  return parts.filter(({ kind, key }) => kind === 'template' && matchesTemplate(key, uri));
}

function matchesTemplate(template: string, uri: string): boolean {
  const [scheme] = /^[a-z][a-z0-9+.-]*:/i.exec(template) ?? [];
  if (scheme === undefined) return false;
  try {
    return new UriTemplate(template).match(uri) !== undefined;
  } catch {
    return false;
  }
}

/** The part that a retry goes on with, which the view must still have. */
async function continuedPart(
  { label, kind, key }: PartReference,
  of: GatewayRequest,
  view: GatewayView,
): Promise<ExposedPart> {
  const name = view.names.nameOf(label, kind, key);
  const context = { of, view };
  const part =
    kind === 'tool' || kind === 'prompt'
      ? await findPart(kind === 'tool' ? 'tools' : 'prompts', name, context)
      : await findResource(name, context);
  if (part.label !== label || part.key !== key) throw unknownPart(kind, name);
  return part;
}
