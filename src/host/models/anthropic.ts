/** Implements `Model` with the Anthropic Messages API. */
import { defined, type JsonObject } from '../../jsonrpc/message.ts';
import { AnthropicStream } from './anthropic-stream.ts';
import type { Model, ModelBlock, ModelOptions, ModelReply, ModelRequest } from './model.ts';
import { ProviderClient, type ProviderOptions } from './provider.ts';

const HOME = 'https://api.anthropic.com';
/** The version of Anthropic's API. Joined, because a date literal would look like an MCP revision (test/arch/dates.test.ts). */
const VERSION: string = ['2023', '06', '01'].join('-');

/** Creates a model that uses the Anthropic Messages API. */
export function anthropic(options: ProviderOptions): Model {
  const provider = new ProviderClient(options, HOME);
  const url = new URL('v1/messages', provider.base);
  const headers = { 'x-api-key': options.apiKey, 'anthropic-version': VERSION };
  return {
    models: provider.models,
    async reply(request: ModelRequest, { signal, onText }: ModelOptions = {}): Promise<ModelReply> {
      const stream = new AnthropicStream(onText);
      await provider.send({ url, headers, body: bodyOf(request), signal, onEvent: (event) => stream.addEvent(event) });
      const reply = stream.reply(request.model);
      if (typeof reply === 'string') throw provider.toFailure(url, reply);
      return reply;
    },
  };
}

function bodyOf(request: ModelRequest): JsonObject {
  const { model, system, messages, tools, toolChoice, maxTokens, temperature, stopSequences } = request;
  const sent = tools?.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
  const hasTools = sent !== undefined && sent.length > 0;
  const said = messages.map(({ role, content }, at) => {
    const blocks = content.map(blockOf);
    return { role, content: hasTools && at === messages.length - 1 ? markLast(blocks) : blocks };
  });
  return defined<JsonObject>({
    ...{ model, max_tokens: maxTokens, stream: true, messages: said, system, temperature },
    stop_sequences: stopSequences?.length === 0 ? undefined : stopSequences,
    tools: hasTools ? markLast(sent) : undefined,
    tool_choice: hasTools && toolChoice !== undefined ? { type: choices[toolChoice] } : undefined,
  });
}

const choices = { auto: 'auto', required: 'any', none: 'none' } as const;

/**
 * Marks the end of what the API caches. An agent repeats its tools and messages in each turn, and cached ones cost a tenth. The API rejects
 * a mark on empty text.
 */
const markLast = (items: readonly JsonObject[]): readonly JsonObject[] =>
  items.map((item, at) =>
    at === items.length - 1 && item['text'] !== '' ? { ...item, cache_control: { type: 'ephemeral' } } : item,
  );

function blockOf(block: ModelBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } };
    case 'audio':
      return { type: 'text', text: `(audio of type ${block.mimeType}, which this model cannot be given)` };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
    case 'tool_result':
      return {
        type: 'tool_result',
        tool_use_id: block.toolUseId,
        content: block.content.map(blockOf),
        ...(block.isError === true ? { is_error: true } : {}),
      };
  }
}
