/** The OpenAI Chat Completions API, which other providers support too: `POST /chat/completions`, streamed. */
import { bareEvents, type Conversation, type Dialect, type Loose, objects, textIn } from './conversation.ts';

export const openaiChat: Dialect = {
  name: 'OpenAI chat completions',
  answers: (path) => /\/chat\/completions$/.test(path),
  read,
  write(reply, { body, id }) {
    const said: Loose =
      'tool' in reply
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                index: 0,
                id: `call_${id}`,
                type: 'function',
                function: { name: reply.tool, arguments: JSON.stringify(reply.input) },
              },
            ],
          }
        : { role: 'assistant', content: reply.text };
    const finish = 'tool' in reply ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    const common = { id: `chatcmpl-${id}`, created: 0, model: body['model'] };
    if (body['stream'] !== true) {
      const choices = [{ index: 0, message: said, finish_reason: finish }];
      return {
        type: 'application/json',
        body: JSON.stringify({ ...common, object: 'chat.completion', choices, usage }),
      };
    }
    const chunk = { ...common, object: 'chat.completion.chunk' };
    const events = [
      { ...chunk, choices: [{ index: 0, delta: said, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
      { ...chunk, choices: [], usage },
    ];
    return { type: 'text/event-stream', body: `${bareEvents(events)}data: [DONE]\n\n` };
  },
};

function read(body: Loose): Conversation {
  const messages = objects(body['messages']);
  const names = new Map(
    messages
      .flatMap((message) => objects(message['tool_calls']))
      .map((call) => [textIn(call['id']), textIn((call['function'] as Loose)['name'])] as const), // every call has one
  );
  return {
    tools: objects(body['tools']).map((tool) => textIn((tool['function'] as Loose | undefined)?.['name'])),
    calls: messages
      .filter(({ role }) => role === 'tool')
      .map((message) => ({
        tool: names.get(textIn(message['tool_call_id'])) ?? '',
        result: textIn(message['content']),
      })),
  };
}
