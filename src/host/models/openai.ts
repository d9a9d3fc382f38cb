/** Models behind the chat completions of OpenAI, and of the many that speak like it. */
import { defined, type JsonObject } from '../../jsonrpc/message.ts';
import type { Model, ModelBlock, ModelMessage, ModelOptions, ModelReply, ModelRequest } from './model.ts';
import { type LimitName, limitNames } from './openai-limit.ts';
import { OpenaiStream } from './openai-stream.ts';
import { ProviderClient, type ProviderOptions } from './provider.ts';

const HOME = 'https://api.openai.com/v1';

/** Models behind an API like OpenAI's chat completions. */
export function openai(options: ProviderOptions): Model {
  const provider = new ProviderClient(options, HOME);
  const url = new URL('chat/completions', provider.base);
  const headers = { authorization: `Bearer ${options.apiKey}` };
  const askWithLimit = limitNames(url);
  return {
    models: provider.models,
    async reply(request: ModelRequest, { signal, onText }: ModelOptions = {}): Promise<ModelReply> {
      const stream = new OpenaiStream(onText);
      const ask = (limit: LimitName, onRefused?: (status: number, text: string) => void): Promise<void> =>
        provider.ask({
          ...{ url, headers, signal, onEvent: (event: JsonObject) => stream.take(event) },
          body: { ...bodyOf(request), [limit]: request.maxTokens },
          ...(onRefused === undefined ? {} : { onRefused }),
        });
      await askWithLimit(request.model, ask);
      const reply = stream.reply(request.model);
      if (typeof reply === 'string') throw provider.failed(url, reply);
      return reply;
    },
  };
}

function bodyOf(request: ModelRequest): JsonObject {
  const { model, system, messages, tools, toolChoice, temperature, stopSequences } = request;
  const given = tools?.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  const hasTools = given !== undefined && given.length > 0;
  return defined<JsonObject>({
    ...{ model, stream: true, stream_options: { include_usage: true }, temperature },
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages.flatMap(messagesOf)],
    stop: stopSequences?.length === 0 ? undefined : stopSequences,
    tools: hasTools ? given : undefined,
    tool_choice: hasTools ? toolChoice : undefined,
  });
}

/** What tools returned are messages of their own here, and come before whatever else the user says. */
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

/** Only text can be returned here, and there is no word for failure. */
function resultText({ content, isError }: Extract<ModelBlock, { type: 'tool_result' }>): string {
  const lines = content.map((block) => {
    if (block.type === 'text') return block.text;
    return 'mimeType' in block ? `(${block.type} of type ${block.mimeType}, which this model cannot be given)` : '';
  });
  return `${isError === true ? 'Error: ' : ''}${lines.join('\n')}`;
}
