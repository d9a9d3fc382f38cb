/** The way of a request through a server: which revision it speaks, whether it may be asked, who answers it. */
import { RpcError } from '../errors.ts';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  METHOD_NOT_FOUND,
  type Request,
} from '../jsonrpc/message.ts';
import { isId } from '../jsonrpc/read.ts';
import { DISCOVER, LISTEN } from '../model/names.ts';
import type { Link, Outlet } from '../peer/exchange.ts';
import type { Session } from '../peer/session.ts';
import type { Method, NewsSource, Revision, ServerSide } from '../revisions/contract.ts';
import { pick } from '../revisions/encode.ts';
import { select } from '../revisions/select.ts';
import { Call } from './call.ts';
import type { PartCatalogue } from './catalogue.ts';
import { complete } from './methods/completion.ts';
import { listing } from './methods/lists.ts';
import { getPrompt } from './methods/prompts.ts';
import { read, readResource } from './methods/resources.ts';
import type { Serving } from './methods/serving.ts';
import { callTool } from './methods/tools.ts';
import { admitted, scopesFor } from './scopes.ts';
import type { Settings } from './settings.ts';

/** What a conversation is answered from. */
export interface Desk {
  readonly settings: Settings;
  readonly catalogue: PartCatalogue;
  readonly side: ServerSide;
  readonly news: NewsSource;
  /** Whether one more stream of news may be opened. */
  mayListen(): boolean;
  readonly session: Session;
  readonly outlet: Outlet;
}

type Answerer = (params: JsonObject, serving: Serving) => JsonObject | Promise<JsonObject>;

const answerers: ReadonlyMap<string, Answerer> = new Map<string, Answerer>([
  ['tools/call', callTool],
  ['tools/list', listing('tools')],
  ['resources/read', readResource],
  ['resources/list', listing('resources')],
  ['resources/templates/list', listing('resourceTemplates')],
  ['prompts/get', getPrompt],
  ['prompts/list', listing('prompts')],
  ['completion/complete', complete],
]);

/** The result of a request, as its revision spells it; or the error to answer with, thrown. */
export async function answer(request: Request, link: Link, desk: Desk): Promise<JsonObject> {
  const { settings, session } = desk;
  const revision = select(request, session, settings.revisions);
  try {
    const result = await served(request, link, { desk, revision });
    return revision.lifecycle.stamp(result, settings.info);
  } catch (thrown) {
    throw thrown instanceof RpcError ? spelled(thrown, revision) : thrown;
  }
}

/** An error with the number that the revision has for it. */
function spelled(error: RpcError, revision: Revision): RpcError {
  const code = revision.code(error);
  return code === error.code ? error : new RpcError(code, error.message, error.data);
}

async function served(request: Request, link: Link, at: { desk: Desk; revision: Revision }): Promise<JsonObject> {
  const { desk, revision } = at;
  const { session, side, settings, catalogue } = desk;
  const { lifecycle } = revision;
  const caller = lifecycle.caller(request, session);
  const logLevel = lifecycle.logLevel(request, session);
  const method = revision.methods.requests.get(request.method);
  if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${request.method}`);
  admit(request, method, side);
  if (catalogue.scoped) admitted(scopesFor(request, catalogue), link.auth);
  const answerer = answerers.get(request.method);
  if (answerer === undefined) return special(request, link, at);
  const call = new Call({
    request,
    revision,
    caller,
    link,
    settings,
    logLevel,
    ready: session.ready === true,
    read: (uri, context) => read(uri, context, { catalogue, settings }),
  });
  try {
    // Answers and state must be verified even if the handler never looks at them.
    if (revision.asks.resumes(request)) await call.resume();
    return await answerer(request.params ?? {}, { catalogue, settings, revision, call });
  } finally {
    call.finish();
  }
}

/** What the parts of a server have no say in: how the two sides meet, and how news arrives. */
function special(
  request: Request,
  link: Link,
  { desk, revision }: { desk: Desk; revision: Revision },
): JsonObject | Promise<JsonObject> {
  const { session, side, settings, news } = desk;
  const own = revision.lifecycle.answer(request, side, { session, end: () => desk.outlet.end() });
  if (own !== undefined) {
    return request.method === DISCOVER ? pick(revision.words, 'DiscoverResult', { ...own, ...settings.hints }) : own;
  }
  if (request.method === LISTEN && !desk.mayListen()) {
    throw new RpcError(INTERNAL_ERROR, `Too many streams of news: ${settings.maxListeners} are open (maxListeners)`);
  }
  const fed = revision.feeds.answer(request, { session, link, news, capabilities: side.capabilities() });
  if (fed === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${request.method}`);
  return fed;
}

/** Whether the server offers this method, and whether its params are what they must be. */
function admit(request: Request, { needs, params }: Method, side: ServerSide): void {
  if (needs !== undefined && side.capabilities()[needs] === undefined) {
    throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${request.method} (this server has no ${needs})`);
  }
  const fault = metaFault(request) ?? params(request.params, 'params');
  if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `Invalid params for ${request.method}: ${fault}`);
}

function metaFault({ params }: Request): string | undefined {
  const meta = params?.['_meta'];
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return '"params._meta" must be an object';
  const token = meta['progressToken'];
  return token === undefined || isId(token) ? undefined : '"params._meta.progressToken" must be a string or an integer';
}
