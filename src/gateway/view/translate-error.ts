/** What went wrong at an upstream, as the caller's revision says it. */
import { McpError, RpcError, ToolError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Caller } from '../../model/caller.ts';
import { MISSING_CAPABILITY, statelessCodes } from '../../model/names.ts';
import type { Revision } from '../../revisions/contract.ts';
import { failedCall } from '../bridge/bridge-context.ts';
import type { RoutedRequest } from '../contract.ts';
import { FROM, OUTCOME } from '../names/gateway-meta.ts';
import { UpstreamError, unusableAnswer } from '../upstreams/upstream-error.ts';

/** More of what an upstream says about an error, as text or as data, does not go on. */
const MAX_ERROR_LENGTH = 8 * 1024;

/** A rule denied what the caller can see: a model gets to read why. */
export function answerDenial(thrown: unknown, { method }: RoutedRequest): JsonObject {
  if (!(thrown instanceof ToolError)) throw thrown;
  if (method === 'tools/call') return failedCall(thrown.message);
  throw new RpcError(INVALID_PARAMS, thrown.message);
}

/** The result to answer with, where a model can read it; otherwise throws the error to answer with. */
export function answerFailure(thrown: unknown, routed: RoutedRequest, from: Revision | undefined): JsonObject {
  const { method, part } = routed;
  const isCall = method === 'tools/call';
  if (thrown instanceof UpstreamError) {
    const { outcome, label, retryAfterMs } = thrown;
    if (retryAfterMs !== undefined)
      throw new RpcError(INTERNAL_ERROR, thrown.message, { outcome, label, retryAfterMs });
    if (isCall && outcome === 'not-sent') return failedCall(thrown.message, { [OUTCOME]: outcome, [FROM]: label });
    throw new RpcError(INTERNAL_ERROR, thrown.message, { outcome, label });
  }
  if (thrown instanceof McpError) {
    const { message, outcome, label } = new UpstreamError(part.label, 'unknown', unusableAnswer(thrown, method));
    throw new RpcError(INTERNAL_ERROR, message, { outcome, label });
  }
  if (thrown instanceof RpcError) return answerRpcError(thrown, routed, from);
  throw thrown;
}

function answerRpcError(
  error: RpcError,
  { method, part, revision, caller }: RoutedRequest,
  from: Revision | undefined,
): JsonObject {
  const { code, data } = error;
  const message = error.message.slice(0, MAX_ERROR_LENGTH);
  const isForGateway = code === MISSING_CAPABILITY && declaresExtensions(caller, data);
  // The numbers of requests without a handshake are about the gateway's own request.
  if (statelessCodes.has(code) && (revision.hasSessions || code !== MISSING_CAPABILITY || isForGateway)) {
    const text = `The server ${part.label} rejected the request: ${message}${isForGateway ? '. This gateway does not pass it on' : ''}`;
    if (code === MISSING_CAPABILITY && method === 'tools/call') return failedCall(text, { [FROM]: part.label });
    throw new RpcError(INTERNAL_ERROR, text);
  }
  if (method === 'resources/read' && isNotFound(error, part.key))
    throw new RpcError(INVALID_PARAMS, message, { uri: part.name }, 'resource-not-found');
  // A model can mend its arguments, if it gets to read what is wrong with them.
  const isMendable = from?.badArguments === 'error' && revision.badArguments === 'result';
  if (method === 'tools/call' && code === INVALID_PARAMS && isMendable)
    return failedCall(message, { [FROM]: part.label });
  const isLong = message !== error.message || (JSON.stringify(data) ?? '').length > MAX_ERROR_LENGTH;
  // Whether a request is sent again is not for an upstream to say: HTTP clients would do so by themselves.
  const isForLater = isObject(data) && 'retryAfterMs' in data;
  throw isLong || isForLater ? new RpcError(code, message) : error;
}

/** Whether the caller declares the extensions that are missing, such as tasks: it is the gateway that does not. */
function declaresExtensions({ capabilities }: Caller, data: unknown): boolean {
  const required =
    isObject(data) && isObject(data['requiredCapabilities']) && data['requiredCapabilities']['extensions'];
  const declared = capabilities.extensions ?? {};
  return isObject(required) && Object.keys(required).every((name) => Object.hasOwn(declared, name));
}

const isNotFound = ({ code, data }: RpcError, uri: string): boolean =>
  code === -32002 || (code === INVALID_PARAMS && isObject(data) && data['uri'] === uri);
