/** `prompts/list` and `prompts/get`: arguments, rendered messages, and failures. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { everyRevision, open, type Raw, STATELESS } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError } from '../../errors.ts';
import type { Part } from '../part.ts';
import { prompt } from '../prompt.ts';
import { createServer } from '../server.ts';

const reported: { error: unknown; what: string }[] = [];
const serving = (parts: readonly Part[], revision = STATELESS): Promise<Raw> => {
  reported.length = 0;
  const onError = (error: unknown, { what }: { what: string }): void => void reported.push({ error, what });
  return open(createServer({ name: 'dock', version: '1', parts, onError }), { revision });
};
const args = z.object({
  topic: z.string().meta({ title: 'Topic', description: 'What about' }),
  days: z.coerce.number().default(3),
});
const summary = prompt({
  name: 'summary',
  title: 'Sum up',
  description: 'Sums it up',
  args,
  render: ({ topic, days }) => `${topic} of ${days} days (${typeof days})`,
});

test('every argument says its name and whether it is required', async () => {
  verifies('SEEDF-9', 'PROMPT-2');
  const raw = await serving([summary, prompt({ name: 'bare', render: () => 'x' })]);
  expect((await raw.result('prompts/list'))['prompts']).toEqual([
    {
      name: 'summary',
      title: 'Sum up',
      description: 'Sums it up',
      arguments: [
        { name: 'topic', title: 'Topic', description: 'What about', required: true },
        { name: 'days', required: false },
      ],
    },
    { name: 'bare' },
  ]);
  const oldest = await serving([summary], '2024-11-05');
  expect((await oldest.result('prompts/list'))['prompts']).toMatchObject([
    {
      arguments: [
        { name: 'topic', description: 'What about', required: true },
        { name: 'days', required: false },
      ],
    },
  ]);
});

test.each(everyRevision)(
  'a text is a message of the user in %s, and arguments are what the schema makes of strings',
  async (revision) => {
    verifies('PROMPT-16', 'PROMPT-10');
    const raw = await serving([summary], revision);
    const rendered = await raw.result('prompts/get', { name: 'summary', arguments: { topic: 'tides', days: '4' } });
    expect(rendered).toMatchObject({
      description: 'Sums it up',
      messages: [{ role: 'user', content: { type: 'text', text: 'tides of 4 days (number)' } }],
    });
    expect(rendered).not.toHaveProperty('ttlMs');
  },
);

test.each(everyRevision)('an unknown prompt and invalid arguments are error −32602 in %s', async (revision) => {
  verifies('PROMPT-14', 'PROMPT-16', 'PROMPT-19');
  const raw = await serving([summary], revision);
  const error = (params: object): Promise<unknown> => raw.error('prompts/get', { ...params });
  expect(await error({ name: 'nope' })).toEqual({ code: -32602, message: 'Unknown prompt: nope' });
  expect(await error({ name: 'summary' })).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^Invalid arguments for prompt "summary": .*topic/),
    data: { issues: [{ path: 'topic' }] },
  });
  for (const given of [{ topic: 7 }, { topic: null }, [], 'x']) {
    expect(await error({ name: 'summary', arguments: given })).toEqual({
      code: -32602,
      message: 'Invalid params for prompts/get: "params.arguments" must be an object of strings',
    });
  }
});

test('a prompt without arguments ignores those it is given', async () => {
  const raw = await serving([prompt({ name: 'p', render: (given) => JSON.stringify(given) })]);
  expect(await raw.result('prompts/get', { name: 'p', arguments: { a: 'b' } })).toMatchObject({
    messages: [{ content: { text: '{}' } }],
  });
});

test('messages and whole results are rendered as they are', async () => {
  verifies('PROMPT-10', 'PROMPT-12');
  const messages = [
    { role: 'user', content: { type: 'text', text: 'a' } },
    { role: 'assistant', content: { type: 'resource_link', uri: 'a:b', name: 'n' } },
    { role: 'user', content: { type: 'image', data: 'QQ==', mimeType: 'image/png' } },
    { role: 'user', content: { type: 'audio', data: 'QQ==', mimeType: 'audio/wav' } },
    { role: 'user', content: { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'x' } } },
  ] as const;
  const parts = [
    prompt({ name: 'list', description: 'd', render: () => messages }),
    prompt({ name: 'whole', description: 'd', render: () => ({ description: 'own', messages, _meta: { k: 1 } }) }),
    prompt({ name: 'none', render: () => [] }),
  ];
  const raw = await serving(parts);
  expect(await raw.result('prompts/get', { name: 'list' })).toMatchObject({ description: 'd', messages });
  expect(await raw.result('prompts/get', { name: 'whole' })).toMatchObject({
    description: 'own',
    messages,
    _meta: { k: 1 },
  });
  expect(await raw.result('prompts/get', { name: 'none' })).toMatchObject({ messages: [] });
});

test.each<[string, unknown, string]>([
  [
    'two blocks in one message',
    [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    'message 0: content is one block',
  ],
  [
    'another role',
    [{ role: 'system', content: { type: 'text', text: 'x' } }],
    'message 0: its role is "user" or "assistant"',
  ],
  [
    'a broken picture',
    [{ role: 'user', content: { type: 'image', data: '*', mimeType: 'image/png' } }],
    'message 0: image needs "data" in base64 and a "mimeType"',
  ],
  [
    'a broken sound',
    [{ role: 'user', content: { type: 'audio', data: 'QQ==', mimeType: 'wav' } }],
    'message 0: audio needs "data" in base64 and a "mimeType"',
  ],
  [
    'a broken resource',
    [{ role: 'user', content: { type: 'resource', resource: { uri: 'x' } } }],
    'message 0: an embedded resource needs a URI',
  ],
  ['no messages', { description: 'x' }, 'it must render text or a list of messages'],
  ['nothing', undefined, 'it must render text or a list of messages'],
])('a prompt that renders %s fails with an error for the author', async (_what, rendered, why) => {
  verifies('PROMPT-7', 'PROMPT-8', 'PROMPT-9', 'PROMPT-10', 'PROMPT-15', 'PROMPT-19');
  const raw = await serving([prompt({ name: 'p', render: () => rendered as string })]);
  expect((await raw.error('prompts/get', { name: 'p' })).code).toBe(-32603);
  expect(reported).toMatchObject([{ what: 'prompt "p"', error: { code: 'MCP_BAD_DEFINITION', details: { why } } }]);
});

test.each(everyRevision)('an exception in render() is error −32603 with an id in %s', async (revision) => {
  verifies('PROMPT-15');
  const parts = [
    prompt({ name: 'fails', render: () => Promise.reject(new Error('hunter2')) }),
    prompt({ name: 'refuses', render: () => Promise.reject(new RpcError(4711, 'Not today')) }),
  ];
  const raw = await serving(parts, revision);
  expect(await raw.error('prompts/get', { name: 'fails' })).toEqual({
    code: -32603,
    message: expect.stringMatching(/^Internal error \([\da-f]{8}\)$/),
  });
  expect(reported).toMatchObject([{ what: 'prompt "fails"', error: { message: 'hunter2' } }]);
  expect(await raw.error('prompts/get', { name: 'refuses' })).toEqual({ code: 4711, message: 'Not today' });
});

test('a prompt has a name', () => {
  expect(() => prompt({ name: '', render: () => 'x' })).toThrow('a prompt needs a name');
});
