/** Validates a server's sampling requests, and the handlers' answers. */
import { McpError, RpcError } from '../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../jsonrpc/message.ts';
import {
  blocksOf,
  type CreateMessageParams,
  type CreateMessageResult,
  isMessage,
  samplingFault,
} from '../model/sampling.ts';

/** Reads a sampling request. Throws −32602 if it is invalid, or uses tools that the client did not declare. */
export function readSampleRequest(params: JsonObject, tools: boolean): CreateMessageParams {
  const request = params as CreateMessageParams; // checked by samplingFault
  const fault = samplingFault(request);
  if (fault !== undefined) throw invalidRequest(fault);
  if (!tools && (params['tools'] !== undefined || params['toolChoice'] !== undefined))
    throw invalidRequest('tools were given, but this client did not declare sampling.tools');
  return request;
}

/** Encodes the answer. Throws if it is not valid for the request. */
export function encodeSampleAnswer(request: CreateMessageParams, answer: CreateMessageResult): JsonObject {
  if (!isObject(answer) || !isMessage(answer)) throw invalidAnswer('it needs a "role" and "content"');
  if (typeof answer.model !== 'string') throw invalidAnswer('it needs the name of the "model"');
  const uses = blocksOf(answer.content).some((block) => block.type === 'tool_use');
  const mode = request.toolChoice?.mode ?? 'auto';
  if (uses && (mode === 'none' || request.tools === undefined))
    throw invalidAnswer('it uses tools, which the request forbids');
  if (!uses && mode === 'required') throw invalidAnswer('it uses no tool, which the request requires');
  return { ...answer };
}

const invalidRequest = (why: string): RpcError => new RpcError(INVALID_PARAMS, `Invalid sampling request: ${why}`);
const invalidAnswer = (why: string): McpError =>
  new McpError('MCP_BAD_RESULT', { method: 'sampling/createMessage', why });
