/** A gateway in front of servers of this process: lists, calls, reads, prompts, completions under the names that callers see. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { connect } from '../connect/index.ts';
import { createServer, prompt, resource, type Server, tool } from '../server/index.ts';
import { everyRevision } from '../testing/index.ts';
import { createGateway } from './gateway.ts';

const shop = (): Server =>
  createServer({
    name: 'shop',
    version: '1',
    parts: [
      tool({ name: 'find', description: 'Finds', run: () => 'found' }),
      prompt({ name: 'greet', args: z.object({ name: z.string() }), render: ({ name }) => `Hello ${name}` }),
      resource({ uri: 'file:///a', read: () => 'contents' }),
      resource({ uri: 'note:{id}', name: 'note', read: ({ id }) => `note ${id}` }),
    ],
  }) as Server;

const clock = (): Server =>
  createServer({
    name: 'clock',
    version: '1',
    parts: [tool({ name: 'find', description: 'Time', run: () => '12:00' })],
  });

test('a gateway lists and calls the parts of its upstreams under prefixed names, in every revision', async () => {
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop: shop(), clock: clock() } });
  await everyRevision(gateway, async (client) => {
    const tools = await client.list('tools').all();
    expect(tools.map(({ name }) => name)).toEqual(['shop__find', 'clock__find']);
    expect((await client.call('shop__find')).text).toBe('found');
    expect((await client.call('clock__find')).text).toBe('12:00');
    expect((await client.list('prompts').all()).map(({ name }) => name)).toEqual(['shop__greet']);
    expect((await client.getPrompt('shop__greet', { name: 'Ada' })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Hello Ada' } },
    ]);
    expect((await client.list('resources').all()).map(({ uri }) => uri)).toEqual(['shop+file:///a']);
    const read = await client.read('shop+file:///a');
    expect(read.contents).toMatchObject([{ uri: 'shop+file:///a', text: 'contents' }]);
    expect((await client.read('shop+note:7')).contents).toMatchObject([{ uri: 'shop+note:7', text: 'note 7' }]);
    expect((await client.list('templates').all()).map(({ uriTemplate }) => uriTemplate)).toEqual(['shop+note:{id}']);
    await expect(client.call('shop__other')).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool: shop__other',
    });
  });
});

test('a gateway can be the upstream of a gateway', async () => {
  await using inner = createGateway({ name: 'inner', version: '1', upstreams: { shop: shop() } });
  await using outer = createGateway({ name: 'outer', version: '1', upstreams: { inner } });
  await using client = await connect(outer);
  expect((await client.call('inner__shop__find')).text).toBe('found');
  expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['inner__shop__find']);
});
