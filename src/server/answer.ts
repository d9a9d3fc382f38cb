/** Answers a request: selects its revision, checks it, and calls the handler of its method. */
import { RpcError } from '../errors.ts';
import {
  failure,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type JsonObject,
  METHOD_NOT_FOUND,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../jsonrpc/message.ts';
import { isConstant } from '../jsonrpc/write.ts';
import { DISCOVER, LISTEN } from '../model/names.ts';
import type { Link } from '../peer/exchange.ts';
import type { Revision, ServerSide } from '../revisions/contract.ts';
import { pickKnown } from '../revisions/encode.ts';
import { selectRevision } from '../revisions/select.ts';
import { HandlerCall, type MethodHandler } from './call.ts';
import type { PartCatalogue } from './catalogue.ts';
import type { ConversationCore, ServerConversation } from './conversation.ts';
import type { ExtensionMethod, ServerExtension } from './extension.ts';
import { complete } from './methods/completion.ts';
import { listParts } from './methods/lists.ts';
import { getPrompt } from './methods/prompts.ts';
import { readResource } from './methods/resources.ts';
import { callTool } from './methods/tools.ts';
import { requestMetaFault } from './request-fault.ts';
import { requireScopes, scopesFor } from './scopes.ts';
import type { ServerSettings } from './settings.ts';
import type { ServerTasks } from './tasks/server-tasks.ts';

/** Shared by all conversations of a server. */
export interface ServerCore extends ConversationCore<ServerCore> {
  readonly settings: ServerSettings;
  readonly catalogue: PartCatalogue;
  readonly side: ServerSide;
  readonly extensions: readonly ServerExtension[];
  readonly tasks: ServerTasks | undefined;
}

const methodHandlers: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ['tools/call', callTool],
  ['tools/list', listParts('tools')],
  ['resources/read', readResource],
  ['resources/list', listParts('resources')],
  ['resources/templates/list', listParts('resourceTemplates')],
  ['prompts/get', getPrompt],
  ['prompts/list', listParts('prompts')],
  ['completion/complete', complete],
]);

/** Responds to a request in the form of its revision. A single async function, because each more would cost every request a turn. */
export async function answer(
  request: RpcRequest,
  link: Link,
  context: ServerConversation<ServerCore>,
): Promise<RpcResponse> {
  const { core, session } = context;
  const { settings, catalogue } = core;
  let revision: Revision | undefined;
  let call: HandlerCall | undefined;
  try {
    revision = selectRevision(request, session, settings.revisions, link.revision);
    const { lifecycle } = revision;
    // What the transport read holds for the request that it checked, not for one that a layer made from it.
    const isChecked = link.checked === request;
    const caller = (isChecked ? link.caller : undefined) ?? lifecycle.caller(request, session);
    const logLevel = lifecycle.logLevel(request, session);
    const extension = checkRequest(request, link, core, revision);
    const answerer = extension?.answer ?? methodHandlers.get(request.method);
    let given: JsonObject | Promise<JsonObject>;
    if (answerer === undefined) given = answerProtocolMethod(request, link, context, revision);
    else {
      const ready = session.ready === true;
      const { push } = context;
      const { tasks } = core;
      const details = { request, link, revision, caller, logLevel, ready, catalogue, settings, push, tasks };
      call = new HandlerCall(details);
      // Answers and sealed state are verified even if the handler never uses them.
      if (extension === undefined && revision.asks.resumes(request)) await call.resume();
      given = answerer(request.params ?? {}, details, call);
    }
    const result = given instanceof Promise ? await given : given;
    // A constant result is a cached list page, which is stamped already. Cached pages are returned synchronously.
    const isStamped = result === given && isConstant(result);
    return success(request.id, isStamped ? result : lifecycle.stamp(result, settings.info));
  } catch (thrown) {
    return failure(request.id, toRpcError(thrown, request.method, settings, revision));
  } finally {
    call?.finish();
  }
}

/** Converts an exception to an error with the code of the revision. Of an unexpected exception, the caller gets only an id. */
function toRpcError(
  thrown: unknown,
  method: string,
  settings: ServerSettings,
  revision: Revision | undefined,
): RpcError {
  if (!(thrown instanceof RpcError)) {
    return new RpcError(INTERNAL_ERROR, `Internal error (${settings.report(thrown, method)})`);
  }
  // The cause is reported to the author only: the caller can do nothing about it.
  if (thrown.cause !== undefined) settings.report(thrown.cause, method);
  return new RpcError(revision?.code(thrown) ?? thrown.code, thrown.message, thrown.data);
}

/** Answers the methods of the protocol itself: the lifecycle, and subscriptions. */
function answerProtocolMethod(
  request: RpcRequest,
  link: Link,
  context: ServerConversation<ServerCore>,
  revision: Revision,
): JsonObject | Promise<JsonObject> {
  const { session, push } = context;
  const { side, settings, tasks } = context.core;
  const own = revision.lifecycle.answer(request, side, context);
  if (own !== undefined)
    return request.method === DISCOVER
      ? pickKnown(revision.vocabulary, 'DiscoverResult', { ...own, ...settings.hints })
      : own;
  const capabilities = side.capabilities(revision);
  const open = (to: Link): JsonObject | Promise<JsonObject> => {
    // In the turn in which the stream opens: tasks are looked up before, and other streams can open meanwhile.
    if (request.method === LISTEN && !context.canListen()) {
      throw new RpcError(INTERNAL_ERROR, `Too many subscriptions: ${settings.maxListeners} are open (maxListeners)`);
    }
    const fed = revision.feeds.answer(request, { session, link: to, changes: context, capabilities });
    if (fed === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${request.method}`);
    return fed;
  };
  if (tasks === undefined || request.method !== LISTEN) return open(link);
  const caller = revision.lifecycle.caller(request, session);
  return tasks.listen({ request, link, revision, caller, push }, open);
}

/**
 * Throws unless the method exists, its params are valid and the caller has the scopes that it needs. Returns the method if it belongs
 * to an extension.
 */
function checkRequest(
  request: RpcRequest,
  link: Link,
  core: ServerCore,
  revision: Revision,
): ExtensionMethod | undefined {
  const { catalogue } = core;
  const own = revision.methods.requests.get(request.method);
  const extension =
    own === undefined
      ? core.extensions.map((one) => one.method(request.method, revision)).find((one) => one !== undefined)
      : undefined;
  const method = own ?? extension;
  if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${request.method}`);
  const { needs, params } = method;
  if (needs !== undefined && catalogue.capabilities()[needs] === undefined) {
    throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${request.method} (this server has no ${needs})`);
  }
  const fault = requestMetaFault(request) ?? params(request.params, 'params');
  if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `Invalid params for ${request.method}: ${fault}`);
  if (catalogue.hasScopes && link.checked !== request) requireScopes(scopesFor(request, catalogue), link.auth);
  return extension;
}
