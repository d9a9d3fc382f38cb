/** A gateway with in-process servers: lists, calls, reads, prompts and completions under exposed names. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { soon } from '../../test/support/soon.ts';
import { connect } from '../connect/index.ts';
import { createServer, httpHandler, prompt, resource, type Server, tool, use } from '../index.ts';
import { isRequest } from '../jsonrpc/message.ts';
import type { Layer, Servable, Transport } from '../peer/exchange.ts';
import { everyRevision } from '../testing/index.ts';
import { memoryTransport } from '../transport/memory.ts';
import { nodeHandler, serveHttp } from '../transport/node.ts';
import { createGateway, type Gateway } from './gateway.ts';

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

test('a gateway is served by every transport, as a server is', async () => {
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop: shop() } });
  const listening = await serveHttp(gateway, { port: 0 });
  const mounted = createHttpServer(nodeHandler(gateway));
  await new Promise<void>((resolve) => mounted.listen(0, '127.0.0.1', resolve));
  const { port } = mounted.address() as AddressInfo; // it listens on a port
  const web = httpHandler(gateway);
  const fetch = (url: URL, init: RequestInit): Promise<Response> => web(new Request(url, init));
  try {
    const targets: readonly (readonly [string | Servable | Transport, object])[] = [
      [gateway, {}],
      [gateway.view('default'), {}],
      [listening.url, {}],
      [`http://127.0.0.1:${port}/mcp`, {}],
      ['http://localhost/mcp', { fetch }],
    ];
    for (const [target, options] of targets) {
      await using client = await connect(target as string, options);
      expect((await client.call('shop__find')).text).toBe('found');
    }
  } finally {
    await listening.close();
    await new Promise((resolve) => mounted.close(resolve));
  }
});

test('layers go around a view of a gateway, and see messages of callers under the names that callers see', async () => {
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop: shop() } });
  const seen: unknown[] = [];
  const layer: Layer = (next) => (message, link) => {
    if (isRequest(message) && message.method === 'tools/call') seen.push(message.params?.['name']);
    return next(message, link);
  };
  await using client = await connect(use(gateway.view('default'), layer));
  await client.call('shop__find');
  expect(seen).toEqual(['shop__find']);
});

const chain = (depth: number): { readonly all: Gateway[]; readonly outermost: Servable } => {
  const all: Gateway[] = [];
  let innermost: Servable = shop();
  for (let at = 0; at < depth; at++) {
    innermost = createGateway({ name: `g${at}`, version: '1', upstreams: { [`g${at}`]: innermost } });
    all.push(innermost as Gateway);
  }
  return { all, outermost: innermost };
};

test('four gateways in a row carry a call, and a fifth one is rejected as too many hops', async () => {
  const { all, outermost } = chain(4);
  await using client = await connect(outermost);
  const [found] = await client.list('tools').all();
  expect((await client.call(found?.name ?? '')).text).toBe('found');
  const five = createGateway({ name: 'g5', version: '1', upstreams: { g5: outermost }, onWarning: () => undefined });
  await using far = await connect(five);
  const called = far.call(`g5__${found?.name}`);
  await expect(called).rejects.toMatchObject({ code: -32603, message: 'Too many hops: 4 gateways in a row' });
  const direct = far.request('tools/call', { name: 'x', _meta: { 'dev.mooring/hops': 4 } });
  await expect(direct).rejects.toMatchObject({ code: -32603, message: 'Too many hops: 4 gateways in a row' });
  for (const gateway of [five, ...all]) await gateway.close();
});

test('gateways in a circle answer within the time of a list, with what each has besides', async () => {
  const behind =
    (target: () => Servable): Transport =>
    (inbound, session) =>
      memoryTransport(target())(inbound, session);
  const common = { version: '1', onWarning: () => undefined };
  const timeouts = { listMs: 100 };
  const one: Gateway = createGateway({
    ...common,
    name: 'one',
    upstreams: { shop: shop(), two: { transport: behind(() => two), timeouts } },
  });
  const two: Gateway = createGateway({
    ...common,
    name: 'two',
    upstreams: { clock: clock(), one: { transport: behind(() => one), timeouts } },
  });
  await using client = await connect(one);
  const tools = await soon(async () => {
    const all = await client.list('tools').all();
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['shop__find', 'two__clock__find']));
    return all;
  });
  expect((await client.call('two__clock__find')).text).toBe('12:00');
  // Each round adds a name, up to the limit of hops.
  expect(tools.length).toBeLessThan(10);
  await Promise.all([one.close(), two.close()]);
});
