/** Converts sampling requests to requests for models, and replies of models to sampling results. */
import { defined } from '../../jsonrpc/message.ts';
import type { Content } from '../../model/content.ts';
import {
  blocksOf,
  type CreateMessageParams,
  type CreateMessageResult,
  type SamplingContent,
  type SamplingMessage,
} from '../../model/sampling.ts';
import { withoutDefaultDialect } from '../../schema/index.ts';
import type { ModelBlock, ModelMessage, ModelReply, ModelRequest } from '../models/model.ts';

export function modelRequest(model: string, params: CreateMessageParams): ModelRequest {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, tools, toolChoice } = params;
  return defined<ModelRequest>({
    ...{ model, messages: messages.map(messageOf), maxTokens, system: systemPrompt, temperature, stopSequences },
    tools: tools?.map(({ name, description = '', inputSchema }) => ({
      ...{ name, description },
      inputSchema: withoutDefaultDialect(inputSchema),
    })),
    toolChoice: tools && (toolChoice?.mode ?? 'auto'),
  });
}

/** Drops tool results, which a reply must not contain. */
export function samplingResult({ model, content, stopReason }: ModelReply): CreateMessageResult {
  const blocks = content.flatMap((block): SamplingContent[] => (block.type === 'tool_result' ? [] : [block]));
  const [only = { type: 'text', text: '' } as const, ...others] = blocks;
  return { role: 'assistant', content: others.length === 0 ? only : blocks, model, stopReason };
}

/** All text in messages, to search for secrets and attacks. */
export const textIn = (messages: readonly SamplingMessage[]): string =>
  messages
    .flatMap(({ content }) => blocksOf(content))
    .map((block) => ('text' in block ? block.text : block.type === 'tool_result' ? JSON.stringify(block.content) : ''))
    .join('\n');

/** The number of rounds so far in which the model got tool results. */
export const roundsIn = (messages: readonly SamplingMessage[]): number =>
  messages.filter(({ content }) => blocksOf(content).some(({ type }) => type === 'tool_result')).length;

function messageOf({ role, content }: SamplingMessage): ModelMessage {
  return { role, content: blocksOf(content).map(blockOf) };
}

function blockOf(block: SamplingContent): ModelBlock {
  if (block.type !== 'tool_use' && block.type !== 'tool_result') return contentBlock(block);
  const meta = block._meta === undefined ? {} : { _meta: block._meta };
  if (block.type === 'tool_use')
    return { type: 'tool_use', id: block.id, name: block.name, input: block.input, ...meta };
  const { toolUseId, content, structuredContent, isError } = block;
  const blocks = content.map(contentBlock);
  const isDataOnly = blocks.length === 0 && structuredContent !== undefined;
  return {
    type: 'tool_result',
    toolUseId,
    content: isDataOnly ? [{ type: 'text', text: JSON.stringify(structuredContent) }] : blocks,
    ...(isError === true ? { isError: true } : {}),
    ...meta,
  };
}

/** Converts content of a tool or prompt to a block for a model. */
function contentBlock(block: Content): ModelBlock {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'resource_link') return { type: 'text', text: `(a resource: ${block.uri})` };
  if (block.type !== 'resource') return { type: block.type, data: block.data, mimeType: block.mimeType };
  const { resource } = block;
  return { type: 'text', text: 'text' in resource ? resource.text : `(${resource.uri}, which is no text)` };
}
