/** Answers a caller's request: lists and lifecycle methods here, everything else through the bridge. */
import { RpcError } from '../../errors.ts';
import {
  failure,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type JsonObject,
  METHOD_NOT_FOUND,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../../jsonrpc/message.ts';
import { isConstant } from '../../jsonrpc/write.ts';
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import type { Change } from '../../model/change.ts';
import { DISCOVER, LISTEN } from '../../model/names.ts';
import type { Link } from '../../peer/exchange.ts';
import type { Revision } from '../../revisions/contract.ts';
import { pickKnown } from '../../revisions/encode.ts';
import { selectRevision } from '../../revisions/select.ts';
import type { ServerConversation } from '../../server/conversation.ts';
import { requestMetaFault } from '../../server/request-fault.ts';
import type { GatewayRequest, PolicyAdmission, RoutedRequest } from '../contract.ts';
import { UpstreamError } from '../upstreams/upstream-error.ts';
import type { GatewayState } from './gateway-state.ts';
import type { GatewayView } from './gateway-view.ts';
import { listMethods, listViewParts } from './list-parts.ts';
import type { ListeningCallers } from './listening-callers.ts';
import { routedMethods, routeRequest } from './route-request.ts';
import { answerDenial, answerFailure } from './translate-error.ts';
import { translateResult } from './translate-result.ts';
import { hasCapability, viewCapabilities } from './view-capabilities.ts';

interface ViewChanges {
  readonly listening: ListeningCallers;
  isSeenBy(change: Change, auth: AuthInfo | undefined): boolean;
}

/** The state at the arrival of the message; a reload does not affect it. */
export interface AnsweringContext {
  readonly state: GatewayState;
  readonly view: GatewayView;
  readonly conversation: Pick<
    ServerConversation<never>,
    'session' | 'push' | 'subscribe' | 'canListen' | 'end' | 'renew'
  >;
  readonly channel: ViewChanges;
}

export async function answerViewRequest(
  request: RpcRequest,
  link: Link,
  context: AnsweringContext,
): Promise<RpcResponse> {
  const { state, view, conversation } = context;
  const { session, push } = conversation;
  let revision: Revision | undefined;
  try {
    revision = selectRevision(request, session, state.revisions, link.revision);
    const { lifecycle } = revision;
    const caller = (link.checked === request ? link.caller : undefined) ?? lifecycle.caller(request, session);
    const logLevel = lifecycle.logLevel(request, session);
    checkRequest(request, revision, view);
    const principal = principalOf(link.auth);
    const incoming: GatewayRequest = {
      request,
      link,
      revision,
      caller,
      principal,
      view: view.name,
      session,
      push,
      logLevel,
    };
    const list = listMethods.get(request.method);
    let result: JsonObject;
    if (list !== undefined) {
      result = await listViewParts(list, incoming, context);
      // Only a caller that has a list can miss a change of it.
      if (session.ready === true && session.requestsOnly !== true) context.channel.listening.begin(session, incoming);
    } else if (routedMethods.has(request.method)) result = await answerRouted(incoming, context);
    else result = await answerOwnMethod(incoming, context);
    return success(request.id, isConstant(result) ? result : lifecycle.stamp(result, state.info));
  } catch (thrown) {
    return failure(request.id, toWireError(thrown, revision, state));
  }
}

/** Recorded answers per call. */
const MAX_ANSWERS = 32;

async function answerRouted(incoming: GatewayRequest, { state, view }: AnsweringContext): Promise<JsonObject> {
  const { policy, bridge, upstreams, clock, metrics } = state;
  const answers: string[] = [];
  const onAnswer = (said: string): void => {
    if (answers.length < MAX_ANSWERS) answers.push(said);
  };
  let routed: RoutedRequest;
  try {
    routed = await routeRequest(incoming, view, state, onAnswer);
  } catch (thrown) {
    // Counts unknown names like hidden ones, so that the rate limit does not reveal which exist.
    if (thrown instanceof RpcError && thrown.code === INVALID_PARAMS) await policy.count('calls', incoming);
    throw thrown;
  }
  let admission: PolicyAdmission;
  try {
    admission = await policy.admit(routed);
  } catch (thrown) {
    if (routed.retry !== undefined) bridge.abandon(routed.retry.state);
    return answerDenial(thrown, routed);
  }
  if ('asks' in admission) return admission.asks;
  const { approved, end: write } = admission;
  const { part, method, revision: to } = routed;
  const began = clock.now();
  const end = (outcome: string): void => {
    write(outcome, answers);
    metrics?.count('calls_total', { upstream: part.label, outcome });
    metrics?.observe('call_seconds', (clock.now() - began) / 1_000, part.label);
  };
  try {
    const carried = await bridge.carry(routed, approved);
    if ('asks' in carried) {
      end('asks');
      return carried.asks;
    }
    const { result, from } = carried;
    const { names } = view;
    const isPrivate = policy.dependsOnCaller;
    const suggests = (value: string): boolean => policy.suggests(routed, value);
    const translated = translateResult(result, { method, part, from, to, names, isPrivate, suggests });
    end(translated['isError'] === true ? 'error' : 'done');
    return translated;
  } catch (thrown) {
    end(thrown instanceof UpstreamError ? thrown.outcome : 'failed');
    return answerFailure(thrown, routed, upstreams.all.get(part.label)?.main?.revision);
  }
}

/** Answers lifecycle methods and subscriptions. */
function answerOwnMethod(
  incoming: GatewayRequest,
  { state, view, conversation, channel }: AnsweringContext,
): JsonObject | Promise<JsonObject> {
  const { request, link, revision } = incoming;
  const capabilities = viewCapabilities(view);
  const { info, revisions } = state;
  const instructions = view.instructions(state.instructions);
  const side = { info, instructions, revisions, capabilities: () => capabilities };
  const own = revision.lifecycle.answer(request, side, conversation);
  if (own !== undefined && request.method !== DISCOVER) return own;
  if (own !== undefined) return pickKnown(revision.vocabulary, 'DiscoverResult', { ...own, ...DISCOVERY_HINTS });
  // A gateway does not forward subscriptions to single resources.
  if (request.method !== LISTEN) throw methodNotFound(request.method);
  if (!conversation.canListen()) throw new RpcError(INTERNAL_ERROR, 'Too many subscriptions are open');
  const fed = revision.feeds.answer(request, {
    session: conversation.session,
    link,
    changes: {
      subscribe: (onChange, closed) => {
        const stop = conversation.subscribe((change) => {
          if (channel.isSeenBy(change, link.auth)) onChange(change);
        }, closed);
        channel.listening.begin(incoming, incoming);
        return () => {
          channel.listening.end(incoming);
          stop();
        };
      },
    },
    capabilities,
  });
  if (fed === undefined) throw methodNotFound(request.method);
  return fed;
}

const DISCOVERY_HINTS: JsonObject = { ttlMs: 0, cacheScope: 'private' };

function checkRequest(request: RpcRequest, revision: Revision, view: GatewayView): void {
  const method = revision.methods.requests.get(request.method);
  if (method === undefined) throw methodNotFound(request.method);
  if (method.needs !== undefined && !hasCapability(view, method.needs))
    throw methodNotFound(`${request.method} (no server here has ${method.needs})`);
  const fault = requestMetaFault(request) ?? method.params(request.params, 'params');
  if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `Invalid params for ${request.method}: ${fault}`);
}

const methodNotFound = (method: string): RpcError => new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);

/** Maps an error to the caller's revision. Unexpected errors are logged, and the caller sees only an id. */
function toWireError(thrown: unknown, revision: Revision | undefined, { warn }: GatewayState): RpcError {
  if (!(thrown instanceof RpcError)) {
    const id = crypto.randomUUID().slice(0, 8);
    warn(`A request failed (${id}): ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
    return new RpcError(INTERNAL_ERROR, `Internal error (${id})`);
  }
  const code = revision?.code(thrown) ?? thrown.code;
  return code === thrown.code ? thrown : new RpcError(code, thrown.message, thrown.data);
}
