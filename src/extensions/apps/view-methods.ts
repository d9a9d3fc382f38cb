/** The methods that a view can call. Validates their parameters before a handler gets them. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { blockFault } from '../../model/block-fault.ts';
import type { Content, EmbeddedResource, ResourceLink } from '../../model/content.ts';
import type { ViewHandlers } from './bridge-types.ts';

export type ViewMethod = (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** The methods whose handlers exist. */
export function viewMethods(by: ViewHandlers, draft: boolean): ReadonlyMap<string, ViewMethod> {
  const all = by as Required<ViewHandlers>; // rows without a handler are filtered below
  const stable: readonly MethodRow[] = [
    ['tools/call', by.callTool, async (p, signal) => all.callTool(text(p, 'name'), members(p, 'arguments'), signal)],
    ['resources/read', by.readResource, async (p, signal) => all.readResource(text(p, 'uri'), signal)],
    ['ui/open-link', by.openLink, async (p, signal) => all.openLink(text(p, 'url'), signal)],
    ['ui/message', by.message, async (p, signal) => all.message({ role: role(p), content: blocks(p) }, signal)],
    ['ui/update-model-context', by.updateContext, async (p, signal) => all.updateContext(modelContext(p), signal)],
  ];
  const drafts: readonly MethodRow[] = [
    ['ui/download-file', by.download, async (p, signal) => all.download(files(p), signal)],
    ['sampling/createMessage', by.sample, async (p, signal) => all.sample(p, signal)],
  ];
  const rows = draft ? [...stable, ...drafts] : stable;
  return new Map(
    rows.flatMap(([method, handler, run]): [string, ViewMethod][] =>
      handler === undefined ? [] : [[method, async (params, signal) => toResult(await run(params, signal))]],
    ),
  );
}

type RunMethod = (params: JsonObject, signal: AbortSignal) => Promise<unknown>;
type MethodRow = readonly [method: string, handler: unknown, run: RunMethod];

/** The capabilities that announce these methods to a view. */
export function hostCapabilities(methods: ReadonlyMap<string, unknown>, draft: boolean): JsonObject {
  const kinds = { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {}, structuredContent: {} };
  const all: readonly (readonly [string, string, JsonObject])[] = [
    ['tools/call', 'serverTools', {}],
    ['resources/read', 'serverResources', {}],
    ['ui/open-link', 'openLinks', {}],
    ['ui/download-file', 'downloadFile', {}],
    ['sampling/createMessage', 'sampling', {}],
    ...(draft
      ? ([
          ['ui/message', 'message', kinds],
          ['ui/update-model-context', 'updateModelContext', kinds],
        ] as const)
      : []),
  ];
  return Object.fromEntries(all.flatMap(([method, name, value]) => (methods.has(method) ? [[name, value]] : [])));
}

/** A handler that returns nothing succeeded. */
const toResult = (value: unknown): JsonObject => (isObject(value) ? value : {});

const invalid = (why: string): RpcError => new RpcError(INVALID_PARAMS, `Invalid params: ${why}`);

function text(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string' || value === '') throw invalid(`"${name}" must be text`);
  return value;
}

function members(params: JsonObject, name: string): JsonObject {
  const value = params[name] ?? {};
  if (!isObject(value)) throw invalid(`"${name}" must be an object`);
  return value;
}

function role(params: JsonObject): 'user' {
  if (params['role'] !== 'user') throw invalid('"role" must be "user"');
  return 'user';
}

/** Accepts one block, as in the specification, and a list, as the official package sends it. */
function blocks({ content }: JsonObject): readonly Content[] {
  const list: readonly unknown[] = Array.isArray(content) ? content : [content];
  const fault = list.map(blockFault).find((one) => one !== undefined);
  if (fault !== undefined) throw invalid(fault);
  return list as readonly Content[]; // blockFault found nothing wrong
}

const modelContext = (params: JsonObject): { content?: readonly Content[]; structuredContent?: JsonObject } => ({
  ...(params['content'] === undefined ? {} : { content: blocks(params) }),
  ...(params['structuredContent'] === undefined ? {} : { structuredContent: members(params, 'structuredContent') }),
});

function files({ contents }: JsonObject): readonly (EmbeddedResource | ResourceLink)[] {
  const all = blocks({ content: Array.isArray(contents) ? contents : [] });
  const found = all.filter((one) => one.type === 'resource' || one.type === 'resource_link');
  if (found.length === 0 || found.length < all.length) throw invalid('"contents" must be resources or links to some');
  return found;
}
