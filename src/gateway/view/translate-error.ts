/** Translates upstream errors and denials into the caller's revision. */
import { McpError, RpcError, ToolError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Caller } from '../../model/caller.ts';
import { cutText } from '../../model/cut-text.ts';
import { MISSING_CAPABILITY, statelessCodes } from '../../model/names.ts';
import type { Revision } from '../../revisions/contract.ts';
import { failedCall } from '../bridge/bridge-context.ts';
import type { RoutedRequest } from '../contract.ts';
import { FROM, OUTCOME } from '../names/gateway-meta.ts';
import { UpstreamError, unusableAnswer } from '../upstreams/upstream-error.ts';

/** The length of an upstream's error message or data that is forwarded. */
const MAX_ERROR_LENGTH = 8 * 1024;

/** A denial becomes a tool result, so that the model can read the reason. */
export function answerDenial(thrown: unknown, { method }: RoutedRequest): JsonObject {
  if (!(thrown instanceof ToolError)) throw thrown;
  if (method === 'tools/call') return failedCall(thrown.message);
  throw new RpcError(INVALID_PARAMS, thrown.message);
}

/** Returns a tool result that the model can read, or throws the error for the caller. */
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
  const message = cutText(error.message, MAX_ERROR_LENGTH);
  const isForGateway = code === MISSING_CAPABILITY && declaresExtensions(caller, data);
  // These codes refer to the request that the gateway sent, not to the caller's.
  if (statelessCodes.has(code) && (revision.hasSessions || code !== MISSING_CAPABILITY || isForGateway)) {
    const text = `The server ${part.label} rejected the request: ${message}${isForGateway ? '. This gateway does not pass it on' : ''}`;
    if (code === MISSING_CAPABILITY && method === 'tools/call') return failedCall(text, { [FROM]: part.label });
    throw new RpcError(INTERNAL_ERROR, text);
  }
  if (method === 'resources/read' && isNotFound(error, part.key))
    throw new RpcError(INVALID_PARAMS, message, { uri: part.name }, 'resource-not-found');
  // As a tool result, the model can read what is wrong with its arguments and correct them.
  const isMendable = from?.badArguments === 'error' && revision.badArguments === 'result';
  if (method === 'tools/call' && code === INVALID_PARAMS && isMendable)
    return failedCall(message, { [FROM]: part.label });
  const isLong = message !== error.message || (JSON.stringify(data) ?? '').length > MAX_ERROR_LENGTH;
  // An upstream must not set `retryAfterMs`: HTTP clients would resend the request automatically.
  const isForLater = isObject(data) && 'retryAfterMs' in data;
  throw isLong || isForLater ? new RpcError(code, message) : error;
}

/** Whether the caller declared the missing extensions, so that only the gateway lacks them. */
function declaresExtensions({ capabilities }: Caller, data: unknown): boolean {
  const required =
    isObject(data) && isObject(data['requiredCapabilities']) && data['requiredCapabilities']['extensions'];
  const declared = capabilities.extensions ?? {};
  return isObject(required) && Object.keys(required).every((name) => Object.hasOwn(declared, name));
}

const isNotFound = ({ code, data }: RpcError, uri: string): boolean =>
  code === -32002 || (code === INVALID_PARAMS && isObject(data) && data['uri'] === uri);
