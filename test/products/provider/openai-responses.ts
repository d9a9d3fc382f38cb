/** The OpenAI Responses API: `POST /responses`, streamed. */
import { type Conversation, type Dialect, type Loose, namedEvents, objects, textIn } from './conversation.ts';

export const openaiResponses: Dialect = {
  name: 'OpenAI responses',
  answers: (path) => /\/responses$/.test(path),
  read,
  write(reply, { body, id }) {
    const item: Loose =
      'tool' in reply
        ? {
            type: 'function_call',
            id: `fc_${id}`,
            call_id: `call_${id}`,
            ...namespaced(reply.tool),
            arguments: JSON.stringify(reply.input),
            status: 'completed',
          }
        : {
            type: 'message',
            id: `msg_${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: reply.text, annotations: [] }],
          };
    const begun = { id: `resp_${id}`, object: 'response', created_at: 0, model: body['model'] };
    const started = { ...begun, status: 'in_progress', output: [] };
    const tokens = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
    const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
    const done = { ...begun, status: 'completed', output: [item], usage: { ...tokens, ...details } };
    if (body['stream'] !== true) return { type: 'application/json', body: JSON.stringify(done) };
    const place = { output_index: 0, content_index: 0, item_id: textIn(item['id']) };
    const spoken =
      'text' in reply
        ? [
            { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [] } },
            { type: 'response.output_text.delta', ...place, delta: reply.text },
            { type: 'response.output_text.done', ...place, text: reply.text },
          ]
        : [];
    const events = [
      { type: 'response.created', response: started },
      { type: 'response.output_item.added', output_index: 0, item },
      ...spoken,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: done },
    ].map((event, index) => ({ ...event, sequence_number: index }));
    return { type: 'text/event-stream', body: namedEvents(events) };
  },
};

function read(body: Loose): Conversation {
  const items = objects(body['input']);
  const names = new Map(
    items
      .filter(({ type }) => type === 'function_call')
      .map((item) => [textIn(item['call_id']), textIn(item['name'])] as const),
  );
  return {
    tools: objects(body['tools']).flatMap((tool) =>
      tool['type'] === 'namespace'
        ? objects(tool['tools']).map(({ name }) => `${textIn(tool['name'])}${SEPARATOR}${textIn(name)}`)
        : [textIn(tool['name'])],
    ),
    calls: items
      .filter(({ type }) => type === 'function_call_output')
      .map((item) => ({ tool: names.get(textIn(item['call_id'])) ?? '', result: textIn(item['output']) })),
  };
}

/** Separates namespace and name of a tool. No name contains it. */
const SEPARATOR = ' / ';

function namespaced(tool: string): Loose {
  const [first = '', second] = tool.split(SEPARATOR);
  return second === undefined ? { name: first } : { namespace: first, name: second };
}
