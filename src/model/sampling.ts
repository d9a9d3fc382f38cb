/** Sampling (a message from the client's model) and roots (the folders that the user opened). The newest revision deprecates both. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { AudioContent, ImageContent, Meta, Role, TextContent } from './content.ts';
import type { CallToolResult, Tool } from './parts.ts';

export type ToolUseContent = {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly _meta?: Meta;
};
export type ToolResultContent = CallToolResult & { readonly type: 'tool_result'; readonly toolUseId: string };
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
/** One turn of the conversation that a model is given. */
export type SamplingMessage = {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly _meta?: Meta;
};
export type ModelPreferences = {
  readonly hints?: readonly { readonly name?: string }[];
  readonly costPriority?: number;
  readonly speedPriority?: number;
  readonly intelligencePriority?: number;
};
/** The params of a request to the client's model. */
export type CreateMessageParams = {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly modelPreferences?: ModelPreferences;
  readonly systemPrompt?: string;
  /**
   * @deprecated except for `none` (SEP-2596); the earliest removal is that of sampling (SEP-2577). Omit it: then the client includes no
   * context.
   */
  readonly includeContext?: 'none' | 'thisServer' | 'allServers';
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly metadata?: JsonObject;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' };
};
/** The message from the client's model. */
export type CreateMessageResult = SamplingMessage & {
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a value of the provider's own. */
  readonly stopReason?: string;
};

/** A folder or file that the user opened. */
export type Root = {
  /** Always `file://`. */
  readonly uri: string;
  readonly name?: string;
  readonly _meta?: Meta;
};

/** Why a `sampling/createMessage` request is invalid: its roles, its priorities, or the order of tool uses and results. */
export function samplingFault({ messages, maxTokens, modelPreferences }: CreateMessageParams): string | undefined {
  if (!Number.isFinite(maxTokens)) return '"maxTokens" must be a number';
  if (!Array.isArray(messages) || !messages.every(isMessage)) {
    return 'a message needs the role "user" or "assistant", and content';
  }
  return priorityFault(modelPreferences ?? {}) ?? toolFault(messages);
}

export const isMessage = (message: unknown): boolean =>
  isObject(message) &&
  (message['role'] === 'user' || message['role'] === 'assistant') &&
  (Array.isArray(message['content']) ? message['content'].every(isObject) : isObject(message['content']));

function priorityFault(preferences: ModelPreferences): string | undefined {
  const { costPriority = 0, speedPriority = 0, intelligencePriority = 0 } = preferences;
  const inside = [costPriority, speedPriority, intelligencePriority].every((one) => one >= 0 && one <= 1);
  return inside ? undefined : 'priorities lie between 0 and 1';
}

/** The message after a tool use must hold its results and nothing else, and every result needs a tool use. */
function toolFault(messages: readonly SamplingMessage[]): string | undefined {
  let open: readonly string[] = [];
  for (const { role, content } of messages) {
    const blocks = blocksOf(content);
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : []));
    if (results.length > 0 && (role !== 'user' || results.length < blocks.length)) {
      return 'tool results come in a user message of their own';
    }
    if (JSON.stringify(results.toSorted()) !== JSON.stringify(open.toSorted())) {
      return 'every tool use is answered by the next message, and every result answers a use';
    }
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    if (open.length > 0 && role !== 'assistant') return 'only the assistant uses tools';
  }
  return open.length === 0 ? undefined : 'the last message uses a tool, and its result is missing';
}

/** One block or several, as a list. */
export const blocksOf = (content: SamplingMessage['content']): readonly SamplingContent[] =>
  Array.isArray(content) ? content : [content as SamplingContent]; // Array.isArray does not narrow readonly lists
