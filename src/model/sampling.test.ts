/** samplingFault(): valid messages for a model, and the order of tool uses and results. */
import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { type CreateMessageParams, type SamplingMessage, samplingFault } from './sampling.ts';

const text = { type: 'text', text: 'x' } as const;
const use = (id: string) => ({ type: 'tool_use', id, name: 't', input: {} }) as const;
const result = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [] }) as const;
const user = (content: SamplingMessage['content']): SamplingMessage => ({ role: 'user', content });
const assistant = (content: SamplingMessage['content']): SamplingMessage => ({ role: 'assistant', content });
const fault = (messages: unknown, more: object = {}): string | undefined =>
  samplingFault({ messages, maxTokens: 1, ...more } as CreateMessageParams);

test.each<[string, SamplingMessage[]]>([
  ['nothing', []],
  ['talk', [user(text), assistant(text), user([text, text])]],
  ['a use and its result', [user(text), assistant(use('a')), user(result('a')), assistant(text)]],
  [
    'two uses and their results, in any order',
    [assistant([text, use('a'), use('b')]), user([result('b'), result('a')])],
  ],
  ['uses one after the other', [assistant(use('a')), user(result('a')), assistant(use('a')), user([result('a')])]],
])('samplingFault() accepts %s', (_what, messages) => {
  verifies('SAMP-16', 'SAMP-18', 'SAMP-19', 'SAMP-20', 'SAMP-21');
  expect(fault(messages)).toBeUndefined();
});

test.each<[string, SamplingMessage[], string]>([
  ['results next to text', [assistant(use('a')), user([result('a'), text])], 'a user message of their own'],
  ['results of the assistant', [assistant(use('a')), assistant(result('a'))], 'a user message of their own'],
  ['a use without result', [assistant(use('a')), user(text)], 'is answered by the next message'],
  ['a use whose result comes late', [assistant(use('a')), user(text), user(result('a'))], 'is answered by the next'],
  ['half of the results', [assistant([use('a'), use('b')]), user(result('a'))], 'is answered by the next message'],
  ['one result twice', [assistant([use('a'), use('b')]), user([result('a'), result('a')])], 'is answered by the next'],
  ['a result for another use', [assistant(use('a')), user(result('b'))], 'every result answers a use'],
  ['a result out of nowhere', [user(result('a'))], 'every result answers a use'],
  ['ids that only look alike', [assistant([use('a'), use('b')]), user(result('a,b'))], 'every result answers a use'],
  ['a use at the end', [user(text), assistant(use('a'))], 'its result is missing'],
  ['a use of the user', [user(use('a')), user(result('a'))], 'only the assistant uses tools'],
])('samplingFault() rejects %s', (_what, messages, why) => {
  verifies('SAMP-18', 'SAMP-19', 'SAMP-20', 'SAMP-21');
  expect(fault(messages)).toContain(why);
});

test.each([
  undefined,
  'x',
  [{ role: 'system', content: text }],
  [{ role: 'user' }],
  [{ role: 'user', content: 'x' }],
  [null],
  [{ role: 'user', content: ['x'] }],
])('samplingFault() rejects %j as a list of messages', (messages) => {
  verifies('SAMP-16', 'SAMP-37');
  expect(fault(messages)).toBe('a message needs the role "user" or "assistant", and content');
});

test.each(['costPriority', 'speedPriority', 'intelligencePriority'])('%s must be between 0 and 1', (name) => {
  verifies('SAMP-32');
  for (const good of [0, 0.5, 1]) expect(fault([], { modelPreferences: { [name]: good } })).toBeUndefined();
  for (const bad of [-0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(fault([], { modelPreferences: { [name]: bad } })).toBe('priorities lie between 0 and 1');
  }
});

test('maxTokens must be a number', () => {
  for (const maxTokens of [undefined, Number.NaN, '1']) {
    expect(fault([], { maxTokens })).toBe('"maxTokens" must be a number');
  }
});
