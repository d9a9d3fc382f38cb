/** Asking a model on behalf of a server: what a request must look like, and what an answer to it may say. */
import { McpError, RpcError } from '../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { CreateMessageParams, CreateMessageResult, SamplingContent } from '../model/sampling.ts';

/** A request for a message, or −32602 when it is none, or wants tools that were not declared. */
export function sampleRequest(params: JsonObject, tools: boolean): CreateMessageParams {
  const { messages, maxTokens } = params;
  if (!Array.isArray(messages) || !messages.every(isMessage))
    throw bad('"messages" must be a list of messages with a role and content');
  if (typeof maxTokens !== 'number') throw bad('"maxTokens" must be a number');
  if (!tools && (params['tools'] !== undefined || params['toolChoice'] !== undefined))
    throw bad('tools were given, but this client did not declare sampling.tools');
  const request = params as unknown as CreateMessageParams; // its required members are there
  checkToolResults(request.messages);
  return request;
}

const isMessage = (message: unknown): boolean =>
  isObject(message) &&
  (message['role'] === 'user' || message['role'] === 'assistant') &&
  (Array.isArray(message['content']) ? message['content'].every(isObject) : isObject(message['content']));

const blocksOf = (content: CreateMessageResult['content']): readonly SamplingContent[] =>
  Array.isArray(content) ? content : [content as SamplingContent]; // Array.isArray does not narrow readonly lists

/** Every use of a tool is followed by a message of its results, and by nothing else; no result comes without a use. */
function checkToolResults(messages: CreateMessageParams['messages']): void {
  let open = new Set<string>();
  for (const { role, content } of messages) {
    const blocks = blocksOf(content);
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : []));
    if (results.length > 0 && (role !== 'user' || results.length !== blocks.length))
      throw bad('tool results come in a user message of their own');
    if (results.length !== open.size || !results.every((id) => open.delete(id)))
      throw bad('every tool use is followed by its result, and every result follows a use');
    open = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
    if (open.size > 0 && role !== 'assistant') throw bad('only the assistant uses tools');
  }
  if (open.size > 0) throw bad('the last message uses a tool, and its result is missing');
}

/** The answer, if it is one to this request. */
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
