/** All functions of users that can return a promise can return any thenable. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { connect } from '../../src/connect/index.ts';
import { createServer, httpHandler, prompt, resource, type Schema, tool, use } from '../../src/index.ts';
import { fakeUser } from '../../src/testing/index.ts';
import { everyRevision } from '../support/raw.ts';
import { thenable } from '../support/thenable.ts';

/** A Standard Schema that validates asynchronously. */
function asynchronous<S extends z.ZodType>(schema: S): Schema {
  const standard = schema['~standard'];
  return { '~standard': { ...standard, validate: (value: unknown) => thenable(standard.validate(value)) } } as Schema; // only validate is replaced
}

const parts = [
  tool({
    name: 'tool',
    input: asynchronous(z.object({ n: z.number() })),
    output: asynchronous(z.object({ n: z.number() })),
    run: (input) => thenable(input as { n: number }), // by its schema
  }),
  tool({
    name: 'ask',
    run: async (_, ctx) => {
      const step = await ctx.once('step', () => thenable(1));
      const asked = await ctx.ask('name', 'Name?', asynchronous(z.object({ name: z.string() })));
      return JSON.stringify([step, asked.value]);
    },
  }),
  resource({ uri: 'x:y', read: () => thenable('read') }),
  prompt({
    name: 'prompt',
    args: z.object({ a: z.string() }),
    complete: { a: () => thenable(['completed']) },
    render: () => thenable('rendered'),
  }),
];
const server = use(
  createServer({ name: 'later', version: '1', parts }),
  (next) => (message, link) => thenable(next(message, link)),
);

test.each(everyRevision)(
  'a handler, a schema, a completer and a layer may return a thenable, in %s',
  async (revision) => {
    const user = fakeUser().answer('Name?', 'Ada');
    const elicit = { form: (...given: Parameters<typeof user.elicit.form>) => thenable(user.elicit.form(...given)) };
    await using client = await connect(server, { revisions: [revision], elicit });
    expect((await client.call('tool', { n: 1 })).text).toBe('{"n":1}');
    await expect(client.call('tool', { n: 'x' })).rejects.toThrow('number');
    expect(await client.read('x:y')).toMatchObject({ contents: [{ text: 'read' }] });
    expect((await client.getPrompt('prompt', { a: 'x' })).messages[0]?.content).toMatchObject({ text: 'rendered' });
    expect(await client.complete({ type: 'ref/prompt', name: 'prompt' }, { name: 'a', value: '' })).toMatchObject({
      values: ['completed'],
    });
    if (revision >= '2025-06-18') expect((await client.call('ask')).text).toBe('[1,{"name":"Ada"}]');
  },
);

test('an authenticator may return a thenable', async () => {
  const handler = httpHandler(server, {
    auth: ({ header }) =>
      thenable(
        header('authorization') === 'Bearer good'
          ? { token: 'good', clientId: 'ada', scopes: [] }
          : { status: 401 as const, wwwAuthenticate: 'Bearer' },
      ),
  });
  const post = async (token: string): Promise<number> => {
    const headers = {
      Authorization: `Bearer ${token}`,
      Host: 'localhost',
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    return (await handler(new Request('http://localhost/mcp', { method: 'POST', headers, body }))).status;
  };
  expect([await post('good'), await post('bad')]).toEqual([200, 401]);
});
