import { expect, test } from 'vitest';
import type { CreateMessageParams, SamplingContent } from '../../model/sampling.ts';
import { estimateTokens } from '../catalogue/tokens.ts';
import { modelRequest } from './sampling-messages.ts';
import { promptTokens } from './sampling-tokens.ts';

const asked = (
  content: SamplingContent | readonly SamplingContent[] = { type: 'text', text: 'hi' },
): CreateMessageParams => ({
  messages: [{ role: 'user', content }],
  maxTokens: 10,
});
const plain = promptTokens(asked());
const long = 'x'.repeat(7_000);
const picture = { type: 'image', data: 'A'.repeat(100_000), mimeType: 'image/png' } as const;
const sound = { type: 'audio', data: 'A'.repeat(40_000), mimeType: 'audio/mpeg' } as const;

test.each<[string, CreateMessageParams, number]>([
  ['a long message', asked({ type: 'text', text: long }), 2_000],
  ['a system prompt', { ...asked(), systemPrompt: long }, 2_000],
  [
    'the description of a tool',
    { ...asked(), tools: [{ name: 't', description: long, inputSchema: { type: 'object' } }] },
    2_000,
  ],
  ['the schema of a tool', { ...asked(), tools: [{ name: 't', inputSchema: { type: 'object', title: long } }] }, 2_000],
  ['what a tool was called with', asked({ type: 'tool_use', id: '1', name: 't', input: { deep: [long] } }), 2_000],
  [
    'what a tool answered',
    asked({ type: 'tool_result', toolUseId: '1', content: [{ type: 'text', text: long }] }),
    2_000,
  ],
  [
    'structured results',
    asked({ type: 'tool_result', toolUseId: '1', content: [], structuredContent: { long } }),
    2_000,
  ],
  ['a sequence to stop at', { ...asked(), stopSequences: [long] }, 2_000],
  ['other scripts', asked({ type: 'text', text: '語'.repeat(2_000) }), 2_000],
  ['a picture', asked(picture), 1_600],
  ['two pictures', asked([picture, picture]), 3_200],
  ['a picture that a tool answered', asked({ type: 'tool_result', toolUseId: '1', content: [picture] }), 1_600],
  ['a sound', asked(sound), 100],
  [
    'arguments in the form of a picture',
    asked({ type: 'tool_use', id: '1', name: 't', input: { type: 'image', data: long } }),
    2_000,
  ],
  [
    'a schema in the form of a picture',
    { ...asked(), tools: [{ name: 't', inputSchema: { type: 'object', properties: { type: 'image', data: long } } }] },
    2_000,
  ],
])('a sampling request costs more tokens with %s', (_what, params, more) => {
  const tokens = promptTokens(params);
  expect(tokens).toBeGreaterThanOrEqual(plain + more - 20);
  expect(tokens).toBeLessThan(plain + more + 200);
});

test('the bytes of a picture are not counted as text', () => {
  expect(promptTokens(asked({ ...picture, data: 'A' }))).toBe(promptTokens(asked(picture)));
});

test('text costs what is estimated for the request, a picture 1,600 tokens, and a sound one for each 400 characters', () => {
  const text = { type: 'text', text: 'hi' } as const;
  expect(plain).toBe(estimateTokens(JSON.stringify(modelRequest('', asked()))));
  expect(promptTokens(asked([text, picture])) - promptTokens(asked([text]))).toBe(1_600);
  expect(promptTokens(asked([text, { ...sound, data: 'A'.repeat(400_000) }])) - promptTokens(asked([text]))).toBe(
    1_000,
  );
  expect(promptTokens(asked([text, { ...sound, data: 'A'.repeat(401) }])) - promptTokens(asked([text]))).toBe(2);
});
