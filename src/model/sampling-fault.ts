/** What keeps a request for a message from being one: its roles, its priorities, and the order of tool uses and results. */
import { isObject } from '../jsonrpc/message.ts';
import type { CreateMessageParams, SamplingContent, SamplingMessage } from './sampling.ts';

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

function priorityFault(preferences: NonNullable<CreateMessageParams['modelPreferences']>): string | undefined {
  const { costPriority = 0, speedPriority = 0, intelligencePriority = 0 } = preferences;
  const inside = [costPriority, speedPriority, intelligencePriority].every((one) => one >= 0 && one <= 1);
  return inside ? undefined : 'priorities lie between 0 and 1';
}

/** Every use of a tool is answered by the next message, which holds results only; no result comes without its use. */
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
