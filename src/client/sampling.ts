/** Sampling on behalf of a server: which requests are valid, and which answers to them. */
import { McpError, RpcError } from '../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../jsonrpc/message.ts';
import {
  blocksOf,
  type CreateMessageParams,
  type CreateMessageResult,
  isMessage,
  samplingFault,
} from '../model/sampling.ts';

/** The request; −32602 where it is not valid, or needs tools that were not declared. */
export function sampleRequest(params: JsonObject, tools: boolean): CreateMessageParams {
  const request = params as CreateMessageParams; // if samplingFault finds nothing wrong with it
  const fault = samplingFault(request);
  if (fault !== undefined) throw bad(fault);
  if (!tools && (params['tools'] !== undefined || params['toolChoice'] !== undefined))
    throw bad('tools were given, but this client did not declare sampling.tools');
  return request;
}

/** The answer, if it is valid for this request. */
export function sampleAnswer(request: CreateMessageParams, answer: CreateMessageResult): JsonObject {
  if (!isObject(answer) || !isMessage(answer)) throw wrong('it needs a "role" and "content"');
  if (typeof answer.model !== 'string') throw wrong('it needs the name of the "model"');
  const uses = blocksOf(answer.content).some((block) => block.type === 'tool_use');
  const mode = request.toolChoice?.mode ?? 'auto';
  if (uses && (mode === 'none' || request.tools === undefined)) throw wrong('it uses tools, which the request forbids');
  if (!uses && mode === 'required') throw wrong('it uses no tool, which the request requires');
  return { ...answer };
}

const bad = (why: string): RpcError => new RpcError(INVALID_PARAMS, `Invalid sampling request: ${why}`);
const wrong = (why: string): McpError => new McpError('MCP_BAD_RESULT', { method: 'sampling/createMessage', why });
