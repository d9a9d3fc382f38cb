/** Implements `Model` with the Chat Completions API of OpenAI, which many other providers support. */
import { defined, type JsonObject } from '../../jsonrpc/message.ts';
import type { Model, ModelBlock, ModelMessage, ModelOptions, ModelReply, ModelRequest } from './model.ts';
import { type LimitName, limitNames } from './openai-limit.ts';
import { OpenaiStream } from './openai-stream.ts';
import { ProviderClient, type ProviderOptions } from './provider.ts';

const HOME = 'https://api.openai.com/v1';

/** Creates a model that uses OpenAI's Chat Completions API, or a compatible one. */
export function openai(options: ProviderOptions): Model {
  const provider = new ProviderClient(options, HOME);
  const url = new URL('chat/completions', provider.base);
  const headers = { authorization: `Bearer ${options.apiKey}` };
  const sendWithLimit = limitNames(url);
  return {
    models: provider.models,
    async reply(request: ModelRequest, { signal, onText }: ModelOptions = {}): Promise<ModelReply> {
      const stream = new OpenaiStream(onText);
      const send = (limit: LimitName, onRejected?: (status: number, text: string) => void): Promise<void> =>
        provider.send({
          ...{ url, headers, signal, onEvent: (event: JsonObject) => stream.addChunk(event) },
          body: { ...bodyOf(request), [limit]: request.maxTokens },
          ...(onRejected === undefined ? {} : { onRejected }),
        });
      await sendWithLimit(request.model, send);
      const reply = stream.reply(request.model);
      if (typeof reply === 'string') throw provider.toFailure(url, reply);
      return reply;
    },
  };
}

function bodyOf(request: ModelRequest): JsonObject {
  const { model, system, messages, tools, toolChoice, temperature, stopSequences } = request;
  const sent = tools?.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  const hasTools = sent !== undefined && sent.length > 0;
  return defined<JsonObject>({
    ...{ model, stream: true, stream_options: { include_usage: true }, temperature },
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages.flatMap(messagesOf)],
    stop: stopSequences?.length === 0 ? undefined : stopSequences,
    tools: hasTools ? sent : undefined,
    tool_choice: hasTools ? toolChoice : undefined,
  });
}

/** In this API, tool results are separate messages, and must precede the user's other content. */
function messagesOf({ role, content }: ModelMessage): JsonObject[] {
  if (role === 'assistant') return [assistantOf(content)];
  const results = content.flatMap((block) =>
    block.type === 'tool_result' ? [{ role: 'tool', tool_call_id: block.toolUseId, content: resultText(block) }] : [],
  );
  const parts = content.flatMap(partOf);
  return parts.length === 0 ? results : [...results, { role: 'user', content: parts }];
}

function assistantOf(content: readonly ModelBlock[]): JsonObject {
  const calls = content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, type: 'function', function: { name: block.name, arguments: JSON.stringify(block.input) } }]
      : [],
  );
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function partOf(block: ModelBlock): JsonObject[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (block.type === 'image')
    return [{ type: 'image_url', image_url: { url: `data:${block.mimeType};base64,${block.data}` } }];
  if (block.type === 'audio') {
    const format = /mpeg|mp3/.test(block.mimeType) ? 'mp3' : 'wav';
    return [{ type: 'input_audio', input_audio: { data: block.data, format } }];
  }
  return [];
}

/** In this API, tool results are text without an error flag, so an error gets a prefix. */
function resultText({ content, isError }: Extract<ModelBlock, { type: 'tool_result' }>): string {
  const lines = content.map((block) => {
    if (block.type === 'text') return block.text;
    return 'mimeType' in block ? `(${block.type} of type ${block.mimeType}, which this model cannot be given)` : '';
  });
  return `${isError === true ? 'Error: ' : ''}${lines.join('\n')}`;
}
