/** The Anthropic Messages API: `POST /v1/messages`, streamed. */
import { type Conversation, type Dialect, type Loose, namedEvents, objects, textIn } from './conversation.ts';

export const anthropic: Dialect = {
  name: 'Anthropic messages',
  answers: (path) => /\/messages$/.test(path),
  read,
  write(reply, { body, id }) {
    const block: Loose =
      'tool' in reply
        ? { type: 'tool_use', id: `toolu_${id}`, name: reply.tool, input: reply.input }
        : { type: 'text', text: reply.text };
    const stop = 'tool' in reply ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 10, output_tokens: 10 };
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: body['model'], usage };
    if (body['stream'] !== true) {
      const whole = { ...message, content: [block], stop_reason: stop, stop_sequence: null };
      return { type: 'application/json', body: JSON.stringify(whole) };
    }
    const [start, delta] =
      'tool' in reply
        ? [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(reply.input) },
          ]
        : [
            { ...block, text: '' },
            { type: 'text_delta', text: reply.text },
          ];
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
    return { type: 'text/event-stream', body: namedEvents(events) };
  },
};

function read(body: Loose): Conversation {
  const blocks = objects(body['messages']).flatMap(({ content }) => objects(content));
  const names = new Map(
    blocks.filter(({ type }) => type === 'tool_use').map(({ id, name }) => [textIn(id), textIn(name)] as const),
  );
  return {
    tools: objects(body['tools']).map(({ name }) => textIn(name)),
    calls: blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({ tool: names.get(textIn(block['tool_use_id'])) ?? '', result: textIn(block['content']) })),
  };
}
