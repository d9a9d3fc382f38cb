/** Runs handlers whose failures become JSON-RPC errors: of resources, prompts, completions and lists. */
import { McpError, RpcError, ToolError } from '../../errors.ts';
import { INTERNAL_ERROR, type JsonObject } from '../../jsonrpc/message.ts';
import type { CallDetails, HandlerCall } from '../call.ts';

export async function runHandler(
  { settings }: CallDetails,
  call: HandlerCall,
  run: () => Promise<JsonObject>,
): Promise<JsonObject> {
  try {
    const result = await run();
    const interim = call.interimResult();
    return (interim && (await interim)) ?? result;
  } catch (thrown) {
    const interim = await call.interimResult(thrown);
    if (interim !== undefined) return interim;
    if (thrown instanceof RpcError) throw thrown;
    // The caller can read the message of a ToolError, and why the client cannot be asked.
    if (thrown instanceof ToolError || isMissingQuestion(thrown)) throw new RpcError(INTERNAL_ERROR, thrown.message);
    if (isCancellation(thrown, call)) throw new RpcError(INTERNAL_ERROR, CANCELLED_TEXT);
    throw new RpcError(INTERNAL_ERROR, `Internal error (${settings.report(thrown, call.what)})`);
  }
}

/** Whether the client cannot be asked. It can read the reason, which is its own capabilities. */
export const isMissingQuestion = (thrown: unknown): thrown is McpError =>
  thrown instanceof McpError && (thrown.code === 'MCP_CANNOT_ASK' || thrown.code === 'MCP_NO_SUCH_QUESTION');

/** A handler that stops because its caller cancelled is not reported to onError. */
export const isCancellation = (thrown: unknown, { signal }: HandlerCall): boolean =>
  signal.aborted && (thrown === signal.reason || isAbortError(thrown, signal.reason));

/** Recognizes abort errors by their text: libraries have their own classes, and wrap each other's errors. */
function isAbortError(thrown: unknown, reason: unknown): boolean {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth++) {
    const { name, message } = error;
    const code = 'code' in error ? error.code : undefined;
    if (/abort|cancel/i.test(`${name} ${code} ${message.slice(0, 200)}`) || error.cause === reason) return true;
    error = error.cause;
  }
  return false;
}
const MAX_CAUSES = 5;
export const CANCELLED_TEXT = 'It was cancelled';
