import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { CreateMessageResult } from '../model/sampling.ts';
import { encodeSampleAnswer, readSampleRequest } from './sampling.ts';

const text = { type: 'text', text: 'x' };
const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 't', input: {} });
const result = (toolUseId: string): JsonObject => ({ type: 'tool_result', toolUseId, content: [] });
const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content });
const assistant = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content });
const request = (messages: unknown, more: JsonObject = {}): ReturnType<typeof readSampleRequest> =>
  readSampleRequest({ messages, maxTokens: 10, ...more }, true);

describe('a request', () => {
  test.each<[string, JsonObject[]]>([
    ['one block', [{ role: 'user', content: text }]],
    ['a use and its result', [user(text), assistant(use('1')), user(result('1')), assistant(text)]],
    ['several at once', [user(text), assistant(text, use('1'), use('2')), user(result('2'), result('1'))]],
  ])('a sampling request with %s is accepted', (_name, messages) => {
    expect(request(messages).messages).toEqual(messages);
  });

  test.each<[string, JsonObject[]]>([
    ['results mixed with other content', [user(text), assistant(use('1')), user(result('1'), text)]],
    ['a missing result', [user(text), assistant(use('1'), use('2')), user(result('1'))]],
    ['a use that nothing follows', [user(text), assistant(use('1'))]],
    ['a use followed by something else', [user(text), assistant(use('1')), user(text)]],
    ['a result of nothing', [user(result('1'))]],
    ['a result of another use', [user(text), assistant(use('1')), user(result('2'))]],
    ['the same result twice', [user(text), assistant(use('1'), use('2')), user(result('1'), result('1'))]],
    ['a result by the assistant', [user(text), assistant(use('1')), assistant(result('1'))]],
    ['a use by the user', [user(use('1')), user(result('1'))]],
  ])('a sampling request with %s is rejected', (_name, messages) => {
    verifies('SAMP-34');
    expect(() => request(messages)).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test.each<[string, JsonObject]>([
    ['messages that are none', { messages: [{ role: 'system', content: text }], maxTokens: 1 }],
    ['no messages', { maxTokens: 1 }],
    ['no limit', { messages: [] }],
  ])('a sampling request with %s is rejected with -32602', (_name, params) => {
    verifies('SAMP-37');
    expect(() => readSampleRequest(params, true)).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test('a request with tools is rejected unless tools were declared', () => {
    verifies('SAMP-11');
    for (const more of [{ tools: [] }, { toolChoice: { mode: 'none' } }]) {
      const params = { messages: [], maxTokens: 1, ...more };
      expect(() => readSampleRequest(params, false)).toThrow('did not declare sampling.tools');
      expect(readSampleRequest(params, true)).toBe(params);
    }
  });
});

describe('an answer', () => {
  const said = (...content: unknown[]): CreateMessageResult =>
    ({ role: 'assistant', model: 'm', content: content.length === 1 ? content[0] : content }) as CreateMessageResult; // as a model would
  const plain = request([]);

  test('a sampling answer must have a model, a role and content', () => {
    verifies('SAMP-41');
    expect(encodeSampleAnswer(plain, { ...said(text), stopReason: 'endTurn' })).toEqual({
      role: 'assistant',
      model: 'm',
      stopReason: 'endTurn',
      content: text,
    });
    expect(() => encodeSampleAnswer(plain, { role: 'assistant', content: text } as CreateMessageResult)).toThrow(
      '"model"',
    ); // wrong on purpose
    expect(() => encodeSampleAnswer(plain, { model: 'm' } as CreateMessageResult)).toThrow('"role" and "content"'); // wrong on purpose
  });

  test('a sampling answer uses tools only as the request allows', () => {
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const wants = (mode: string): ReturnType<typeof readSampleRequest> => request([], { tools, toolChoice: { mode } });
    expect(() => encodeSampleAnswer(plain, said(use('1')))).toThrow('which the request forbids');
    expect(() => encodeSampleAnswer(wants('none'), said(text, use('1')))).toThrow('which the request forbids');
    expect(() => encodeSampleAnswer(wants('required'), said(text))).toThrow('which the request requires');
    expect(encodeSampleAnswer(wants('required'), said(use('1')))).toMatchObject({ content: use('1') });
    expect(encodeSampleAnswer(request([], { tools }), said(text))).toMatchObject({ content: text });
  });
});
