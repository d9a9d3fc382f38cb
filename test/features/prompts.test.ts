/** Prompts, in every revision. */
import { expect } from 'vitest';
import { PIXEL, SILENCE } from '../fixtures/harbour/tools.ts';
import { everyRevision } from '../support/every-revision.ts';
import { verifies } from '../support/verifies.ts';

everyRevision('prompts are listed with their arguments', async ({ client, revision }) => {
  verifies('PROMPT-1');
  expect(client.server.capabilities.prompts).toEqual({ listChanged: true });
  const prompts = await client.list('prompts').all();
  expect(prompts.map(({ name }) => name)).toEqual(['greet', 'report', 'briefing', 'interview', 'storm']);
  const titled = revision >= '2025-06-18';
  expect(prompts[1]).toEqual({
    name: 'report',
    description: 'A report on a ship',
    arguments: [
      { name: 'ship', description: 'Which ship', required: true, ...(titled ? { title: 'Ship' } : {}) },
      { name: 'pages', required: false },
    ],
    ...(titled ? { title: 'Report', _meta: { 'example.harbour/form': 'R1' } } : {}),
    ...(revision >= '2025-11-25' ? { icons: [{ src: 'https://harbour.example/report.png' }] } : {}),
  });
});

everyRevision('a prompt that is a string is one message of the user', async ({ client }) => {
  const { messages } = await client.getPrompt('greet');
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Greet the harbour master' } }]);
});

everyRevision('arguments travel as strings and arrive as what the schema makes of them', async ({ client, wire }) => {
  verifies('PROMPT-10', 'PROMPT-11', 'PROMPT-16');
  const { messages, description } = await client.getPrompt('report', { ship: 'beagle', pages: '3' });
  expect(description).toBe('A report on a ship');
  expect(messages).toEqual([
    { role: 'user', content: { type: 'text', text: 'Write 3 pages about beagle' } },
    { role: 'assistant', content: { type: 'text', text: 'Gladly' } },
  ]);
  expect(wire.requests('prompts/get')[0]?.params?.['arguments']).toEqual({ ship: 'beagle', pages: '3' });
});

everyRevision('every kind of content block arrives, or what comes nearest to it', async ({ client, revision }) => {
  verifies('PROMPT-7', 'PROMPT-8', 'PROMPT-9', 'PROMPT-12');
  const { messages, description } = await client.getPrompt('briefing');
  expect(description).toBe('Today');
  const blocks = messages.map(({ content }) => content);
  expect(blocks[0]).toEqual({
    type: 'resource',
    resource: { uri: 'harbour://log', mimeType: 'text/plain', text: 'All quiet' },
  });
  expect(blocks[1]).toEqual({ type: 'image', data: PIXEL, mimeType: 'image/png' });
  if (revision === '2024-11-05')
    expect(blocks[2]).toMatchObject({ resource: { blob: SILENCE, mimeType: 'audio/wav' } });
  else expect(blocks[2]).toEqual({ type: 'audio', data: SILENCE, mimeType: 'audio/wav' });
  if (revision >= '2025-06-18')
    expect(blocks[3]).toEqual({ type: 'resource_link', uri: 'harbour://chart', name: 'chart' });
  else expect(blocks[3]).toMatchObject({ type: 'text', text: expect.stringContaining('harbour://chart') });
});

everyRevision('an unknown prompt, and wrong or missing arguments, are refused', async ({ client }) => {
  verifies('PROMPT-14', 'PROMPT-16');
  await expect(client.getPrompt('nothing')).rejects.toMatchObject({ code: -32602, message: 'Unknown prompt: nothing' });
  await expect(client.getPrompt('report')).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('ship'),
  });
  const wrong = client.getPrompt('report', { ship: 'beagle', pages: 'many' });
  await expect(wrong).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('pages') });
});

everyRevision('arguments that are no strings are refused', { strictClient: false }, async ({ client }) => {
  verifies('PROMPT-11');
  const params = { name: 'report', arguments: { ship: 5 } };
  await expect(client.request('prompts/get', params)).rejects.toMatchObject({ code: -32602 });
});

everyRevision(
  'a prompt that fails gives an internal error, in the words that are meant to be read',
  async ({ client }) => {
    verifies('PROMPT-15');
    await expect(client.getPrompt('storm')).rejects.toMatchObject({
      code: -32603,
      message: 'No prompts during a storm',
    });
  },
);

everyRevision(
  'a prompt may ask before it is written',
  { user: (user) => user.answer('What about?', 'tides'), since: '2025-06-18' },
  async ({ client, revision, user, wire }) => {
    verifies('PROMPT-13');
    const { messages } = await client.getPrompt('interview');
    expect(messages[0]?.content).toEqual({ type: 'text', text: 'An interview about tides' });
    expect(user.asked).toHaveLength(1);
    if (revision >= '2026-07-28') expect(wire.requests('prompts/get')).toHaveLength(2);
  },
);

everyRevision('a prompt that cannot ask says why', { until: '2025-03-26' }, async ({ client }) => {
  await expect(client.getPrompt('interview')).rejects.toThrow(/does not support/);
});
