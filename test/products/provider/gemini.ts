/** The Gemini API: `POST …/models/<model>:generateContent`, and `:streamGenerateContent?alt=sse`. */
import { bareEvents, type Conversation, type Dialect, type Loose, objects, textIn } from './conversation.ts';

export const gemini: Dialect = {
  name: 'Gemini generateContent',
  answers: (path) => /:(?:stream)?generateContent$/i.test(path),
  read,
  write(reply, { path, id }) {
    const part: Loose =
      'tool' in reply
        ? { functionCall: { id: `call_${id}`, name: reply.tool, args: reply.input } }
        : { text: reply.text };
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 };
    const candidate = { index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' };
    const whole: Loose = { candidates: [candidate], usageMetadata, modelVersion: 'scripted', responseId: id };
    return /:streamGenerateContent$/i.test(path)
      ? { type: 'text/event-stream', body: bareEvents([whole]) }
      : { type: 'application/json', body: JSON.stringify(whole) };
  },
};

function read(body: Loose): Conversation {
  const parts = objects(body['contents']).flatMap((content) => objects(content['parts']));
  return {
    tools: objects(body['tools'])
      .flatMap((tool) => objects(tool['functionDeclarations']))
      .map(({ name }) => textIn(name)),
    calls: parts
      .map((part) => part['functionResponse'] as Loose | undefined) // an object where there is one
      .filter((response) => response !== undefined)
      .map((response) => ({ tool: textIn(response['name']), result: textIn(response['response']) })),
  };
}
