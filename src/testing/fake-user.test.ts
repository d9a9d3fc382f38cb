import { expect, test } from 'vitest';
import type { FormRequest } from '../client/handlers.ts';
import { createServer, tool } from '../index.ts';
import { everyRevision } from './every-revision.ts';
import { fakeUser } from './fake-user.ts';

const context = { signal: new AbortController().signal, server: { capabilities: {} } };
const form = (message: string, ...fields: readonly string[]): FormRequest => ({
  message,
  requestedSchema: {
    type: 'object',
    properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])),
  },
  defaults: {},
});
const page = (message: string): Parameters<ReturnType<typeof fakeUser>['elicit']['url']>[0] => ({
  message,
  url: 'https://desk.example',
  host: 'desk.example',
  warnings: [],
  completed: new Promise(() => undefined),
});

test('a fake user answers by the first rule that matches the question', async () => {
  const user = fakeUser().answer('Refund', { sure: 'yes' }).answer(/^Ref/, { sure: 'no' }).decline(/tip/);
  expect(await user.elicit.form(form('Refund 12?', 'sure'), context)).toEqual({
    action: 'accept',
    content: { sure: 'yes' },
  });
  expect(await user.elicit.form(form('Leave a tip?', 'sure'), context)).toEqual({ action: 'decline' });
});

test('a single value fills the only field, and no value accepts the defaults', async () => {
  const user = fakeUser().answer('one', 'x').answer('all').answer('several', ['a', 'b']);
  expect(await user.elicit.form(form('one', 'field'), context)).toEqual({ action: 'accept', content: { field: 'x' } });
  expect(await user.elicit.form(form('all', 'a', 'b'), context)).toEqual({ action: 'accept', content: {} });
  const several = await user.elicit.form(form('several', 'list'), context);
  expect(several.content).toEqual({ list: ['a', 'b'] });
  expect(() => user.elicit.form(form('one', 'a', 'b'), context)).toThrow(/one value for a form of 2 fields/);
});

test('a fake user visits pages by its rules', async () => {
  const user = fakeUser().answer('desk').cancel('bank');
  expect(await user.elicit.url(page('Go to the desk'), context)).toEqual({ action: 'accept' });
  expect(await user.elicit.url(page('Go to the bank'), context)).toEqual({ action: 'cancel' });
});

test('a fake user samples a text, or the result of a function', async () => {
  const request = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 5 } as const;
  const said = await fakeUser().samples('Hi').sample.create(request, context);
  expect(said).toEqual({
    role: 'assistant',
    content: { type: 'text', text: 'Hi' },
    model: 'fake',
    stopReason: 'endTurn',
  });
  const counted = await fakeUser()
    .samples(({ maxTokens }) => `${maxTokens} tokens`)
    .sample.create(request, context);
  expect(counted).toMatchObject({ content: { text: '5 tokens' } });
});

test('a fake user rejects an unexpected question, and quotes it', () => {
  const user = fakeUser().answer('Refund', true);
  expect(() => user.elicit.form(form('Delete everything?', 'sure'), context)).toThrow(
    'The fake user was asked "Delete everything?" and expects Refund; add .answer()',
  );
  expect(() => user.sample.create({ messages: [], maxTokens: 1 }, context)).toThrow(/add \.samples\(\)/);
});

test('a fake user records all questions', async () => {
  const user = fakeUser().answer('ship').answer('desk').samples('Hi');
  await user.elicit.form(form('Which ship?', 'name'), context);
  await user.elicit.url(page('Go to the desk'), context);
  await user.sample.create(
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }], maxTokens: 1 },
    context,
  );
  expect(user.asked.map(({ kind, message }) => [kind, message])).toEqual([
    ['form', 'Which ship?'],
    ['url', 'Go to the desk'],
    ['sample', 'Hello'],
  ]);
});

test('an unexpected question fails the call, in every revision that asks', async () => {
  const server = createServer({
    name: 'asker',
    version: '1.0.0',
    parts: [tool({ name: 'ask', run: async (_, ctx) => String(await ctx.confirm('sure', 'Surprise?')) })],
  });
  const revisions = ['2026-07-28', '2025-11-25', '2025-06-18'];
  const asked: string[] = [];
  await everyRevision(
    server,
    async (client, revision) => {
      await expect(client.call('ask')).rejects.toThrow(/The fake user was asked "Surprise\?"/);
      asked.push(revision);
    },
    { ...fakeUser(), revisions },
  );
  expect(asked).toEqual(revisions);
});
