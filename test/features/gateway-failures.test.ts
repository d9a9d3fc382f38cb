/** Failures of upstreams (down, hanging, invalid, flooding, lost sessions) affect callers of a gateway as little as possible. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { connect } from '../../src/connect/index.ts';
import { createGateway, type Gateway, type GatewaySpec, gatewayRules } from '../../src/gateway/index.ts';
import { createServer, type Server, tool } from '../../src/index.ts';
import type { ElicitResult } from '../../src/model/elicitation.ts';
import { Deferred } from '../../src/peer/wait.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { nodeHandler, serveHttp } from '../../src/transport/node.ts';
import { FakeServer, type Handler, silence } from '../support/fake-server.ts';
import { settled } from '../support/held-clock.ts';
import { soon } from '../support/soon.ts';

const [STATELESS, SESSIONS] = ['2026-07-28', '2025-11-25'];

const clock = (): Server =>
  createServer({ name: 'clock', version: '1', parts: [tool({ name: 'now', description: 'Now', run: () => '12:00' })] });

const oneTool =
  (name: string): Handler =>
  () => ({
    tools: [{ name, inputSchema: { type: 'object' } }],
    ttlMs: 0,
    cacheScope: 'private',
    resultType: 'complete',
  });

const gatewayOf = (upstreams: GatewaySpec['upstreams'], more: Partial<GatewaySpec> = {}): Gateway =>
  createGateway({ name: 'acme', version: '1', upstreams, onWarning: () => undefined, ...more });

const names = async (client: Client): Promise<string[]> => (await client.list('tools').all()).map(({ name }) => name);

test('an upstream that hangs in its list delays the list of the gateway once, by three seconds, and no other call', async () => {
  const time = virtualClock();
  const hanging = new FakeServer({ revision: STATELESS, on: { 'tools/list': () => silence } });
  await using gateway = gatewayOf({ clock: clock(), hanging: hanging.transport }, { clock: time });
  const connecting = connect(gateway);
  await time.advance(3_000);
  await using client = await connecting;
  // The clock stands still, so nothing waits from here on.
  expect(await names(client)).toEqual(['clock__now']);
  expect(await names(client)).toEqual(['clock__now']);
  expect((await client.call('clock__now')).text).toBe('12:00');
});

test('an upstream that cannot be reached takes away its own tools and nothing else', async () => {
  const listening = await serveHttp(clock(), { port: 0 });
  // The clock stands still, so a list waits for an upstream until the connection fails.
  await using gateway = gatewayOf({ clock: clock(), shop: { url: listening.url } }, { clock: virtualClock() });
  await using client = await connect(gateway);
  expect(await names(client)).toEqual(['clock__now', 'shop__now']);
  await listening.close();
  // It was listed before, so it stays listed.
  expect(await names(client)).toEqual(['clock__now', 'shop__now']);
  // An open connection can break in use; then the outcome of the call is unknown.
  const { isError, text, meta } = await soon(() => client.attempt('shop__now'));
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('The server shop') });
  expect(meta).toMatchObject({ 'dev.mooring/from': 'shop', 'dev.mooring/outcome': 'not-sent' });
  expect((await client.call('clock__now')).text).toBe('12:00');
  expect(gateway.upstreams.get('shop')).toMatchObject({ label: 'shop', tools: 1 });
});

test('an upstream that was away is listed for ten minutes, and no longer', async () => {
  const time = virtualClock();
  let isAway = false;
  const shop = new FakeServer({
    revision: STATELESS,
    on: { 'tools/list': (...args) => (isAway ? silence : oneTool('find')(...args)) },
  });
  await using gateway = gatewayOf({ shop: shop.transport }, { clock: time });
  await using client = await connect(gateway);
  expect(await names(client)).toEqual(['shop__find']);
  isAway = true;
  const listing = names(client);
  await time.advance(3_000);
  expect(await listing).toEqual(['shop__find']);
  await time.advance(590_000);
  expect(await names(client)).toEqual(['shop__find']);
  await time.advance(20_000);
  expect(await names(client)).toEqual([]);
});

test.each<[string, Handler, object]>([
  ['a result that is no result of a tool', () => ({ content: 7 }), { code: -32603, data: { outcome: 'unknown' } }],
  [
    'a result of an unknown type',
    () => ({ resultType: 'x', content: [] }),
    { code: -32603, data: { outcome: 'unknown' } },
  ],
  ['a list in place of content blocks that are none', () => ({ resultType: 'complete', content: [7, null] }), {}],
])('an upstream that answers with %s harms nothing else', async (_, handler, error) => {
  const lying = new FakeServer({ revision: STATELESS, on: { 'tools/list': oneTool('lie'), 'tools/call': handler } });
  await using gateway = gatewayOf({ clock: clock(), lying: lying.transport });
  await using client = await connect(gateway, { onWarning: () => undefined });
  await names(client);
  const outcome = client.attempt('lying__lie');
  if ('code' in error) await expect(outcome).rejects.toMatchObject(error);
  else expect(await outcome).toMatchObject({ content: [] });
  expect((await client.call('clock__now')).text).toBe('12:00');
});

test('a response with an id that was never asked is dropped, and the right one still counts', async () => {
  const lying = new FakeServer({
    revision: SESSIONS,
    on: {
      'tools/list': oneTool('lie'),
      'tools/call': (_params, line) => {
        line.say({ jsonrpc: '2.0', id: 4711, result: { content: [{ type: 'text', text: 'of another' }] } });
        return { content: [{ type: 'text', text: 'mine' }] };
      },
    },
  });
  await using gateway = gatewayOf({ lying: lying.transport });
  await using client = await connect(gateway);
  expect((await client.call('lying__lie')).text).toBe('mine');
});

test('a list that never ends, one with too many parts and one that is too large are given up', async () => {
  const page = (count: number, size: number, nextCursor?: string): object => ({
    tools: Array.from({ length: count }, (_, at) => ({
      name: `t${nextCursor}${at}`,
      description: 'x'.repeat(size),
      inputSchema: { type: 'object' },
    })),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  });
  let pages = 0;
  const of = (make: () => object): FakeServer['transport'] =>
    new FakeServer({ revision: SESSIONS, on: { 'tools/list': () => ({ ...make() }) } }).transport;
  const warnings: string[] = [];
  await using gateway = gatewayOf(
    {
      clock: clock(),
      endless: of(() => page(1, 1, `c${++pages}`)),
      many: of(() => page(10_001, 1)),
      large: of(() => page(20, 1_000_000)),
    },
    { onWarning: (warning) => warnings.push(warning) },
  );
  await using client = await connect(gateway);
  expect(await names(client)).toEqual(['clock__now']);
  for (const label of ['endless', 'many', 'large']) expect(warnings.join('\n')).toContain(`${label}: its tools`);
  expect(pages).toBeLessThan(200);
});

test('a flood of progress and log messages reaches the caller in part, and the result comes through', async () => {
  const flooding = new FakeServer({
    revision: SESSIONS,
    on: {
      'tools/list': oneTool('flood'),
      'tools/call': (params, line) => {
        const progressToken = (params['_meta'] as { progressToken: unknown }).progressToken; // the caller requests progress
        for (let at = 1; at <= 5_000; at++)
          line.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: at } });
        return { content: [{ type: 'text', text: 'done' }] };
      },
    },
  });
  const time = virtualClock();
  await using gateway = gatewayOf({ flooding: flooding.transport }, { clock: time });
  await using client = await connect(gateway);
  let count = 0;
  const { text } = await client.call('flooding__flood', {}, { onProgress: () => count++ });
  expect([text, count]).toEqual(['done', 2_000]);
});

test('a flood of changes makes a list be fetched once in two seconds', async () => {
  const time = virtualClock();
  const capabilities = { tools: { listChanged: true } };
  const shop = new FakeServer({ revision: SESSIONS, capabilities, on: { 'tools/list': oneTool('find') } });
  await using gateway = gatewayOf({ shop: { transport: shop.transport, isolate: 'shared' } }, { clock: time });
  await using client = await connect(gateway);
  await names(client);
  const count = (): number => shop.methods.filter((method) => method === 'tools/list').length;
  const before = count();
  for (let at = 0; at < 100; at++) {
    shop.line.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await time.advance(100);
  }
  expect(count() - before).toBeLessThanOrEqual(6);
  expect(count() - before).toBeGreaterThanOrEqual(4);
});

/** A server whose sessions end when the test says so: afterwards it answers 404. */
async function forgetful(): Promise<{ readonly url: string; forget(): Promise<void>; close(): Promise<void> }> {
  const server = clock();
  let handler = nodeHandler(server);
  const http = createHttpServer((request, response) => handler(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async forget() {
      const before = handler;
      handler = nodeHandler(server);
      await before.close();
    },
    close: async () => {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

test('an upstream session that expired is opened again, and the caller does not notice', async () => {
  const upstream = await forgetful();
  const gateway = gatewayOf({ clock: { url: upstream.url, revisions: [SESSIONS] } });
  const client = await connect(gateway, { revisions: [SESSIONS] });
  expect((await client.call('clock__now')).text).toBe('12:00');
  await upstream.forget();
  expect((await client.call('clock__now')).text).toBe('12:00');
  await client.close();
  await gateway.close();
  await upstream.close();
});

test('a caller whose session has one of its own upstream is told once that the state there is gone', async () => {
  const upstream = await forgetful();
  const gateway = gatewayOf({ clock: { url: upstream.url, revisions: [SESSIONS], isolate: 'session' } });
  const client = await connect(gateway, { revisions: [SESSIONS] });
  expect((await client.call('clock__now')).text).toBe('12:00');
  await upstream.forget();
  const { isError, text } = await client.attempt('clock__now');
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('lost its session') });
  expect((await client.call('clock__now')).text).toBe('12:00');
  await client.close();
  await gateway.close();
  await upstream.close();
});

test('after five failures an upstream is left alone for fifteen seconds, and then tried with one call', async () => {
  const time = virtualClock();
  let isBroken = true;
  let calls = 0;
  const shop = new FakeServer({
    revision: STATELESS,
    on: {
      'tools/list': oneTool('find'),
      'tools/call': () => {
        calls++;
        return isBroken ? silence : { resultType: 'complete', content: [{ type: 'text', text: 'found' }] };
      },
    },
  });
  await using gateway = gatewayOf(
    { shop: { transport: shop.transport, timeouts: { callMs: 1_000 } } },
    { clock: time },
  );
  await using client = await connect(gateway);
  await names(client);
  for (let at = 0; at < 5; at++) {
    const call = expect(client.call('shop__find')).rejects.toMatchObject({
      data: { outcome: 'unknown', label: 'shop' },
    });
    await time.advance(1_000);
    await call;
  }
  expect(gateway.upstreams.get('shop')?.circuit).toBe('open');
  expect(await client.attempt('shop__find')).toMatchObject({
    isError: true,
    meta: { 'dev.mooring/outcome': 'not-sent' },
  });
  expect(calls).toBe(5);
  isBroken = false;
  await time.advance(15_000);
  for (let at = 0; at < 3; at++) expect((await client.call('shop__find')).text).toBe('found');
  expect(gateway.upstreams.get('shop')?.circuit).toBe('closed');
});

test('a trial whose caller cancels before the upstream is connected leaves the trial to the next call', async () => {
  const time = virtualClock();
  let isBroken = true;
  const asked = new Deferred<void>();
  let open: (() => Promise<never>) | undefined;
  const capabilities = { tools: { listChanged: true } };
  const serverInfo = { name: 'shop', version: '1' };
  const shop = new FakeServer({
    revision: SESSIONS,
    on: {
      initialize: () => open?.() ?? { protocolVersion: SESSIONS, capabilities, serverInfo },
      'tools/list': oneTool('find'),
      'tools/call': () => (isBroken ? silence : { content: [{ type: 'text', text: 'found' }] }),
    },
  });
  const options = { timeouts: { callMs: 1_000 }, circuit: { failures: 1 }, isolate: 'call' } as const;
  await using gateway = gatewayOf({ shop: { transport: shop.transport, ...options } }, { clock: time });
  await using client = await connect(gateway);
  await names(client);
  const failing = expect(client.call('shop__find')).rejects.toMatchObject({ data: { outcome: 'unknown' } });
  await time.advance(1_000);
  await failing;
  expect(gateway.upstreams.get('shop')?.circuit).toBe('open');
  isBroken = false;
  await time.advance(15_000);
  open = () => {
    asked.resolve();
    return new Promise(() => undefined);
  };
  const cancel = new AbortController();
  const trial = client.call('shop__find', {}, { signal: cancel.signal });
  await asked.promise;
  cancel.abort();
  await expect(trial).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
  open = undefined;
  expect((await client.call('shop__find')).text).toBe('found');
});

test('calls beyond the limits of an upstream wait their turn for two seconds, and those of other upstreams do not wait', async () => {
  const time = virtualClock();
  const slow = new FakeServer({
    revision: STATELESS,
    on: { 'tools/list': oneTool('wait'), 'tools/call': () => silence },
  });
  const limits = { calls: 2, queue: 1, queueMs: 2_000 };
  await using gateway = gatewayOf({ clock: clock(), slow: { transport: slow.transport, limits } }, { clock: time });
  await using client = await connect(gateway);
  await names(client);
  const open = [client.attempt('slow__wait'), client.attempt('slow__wait'), client.attempt('slow__wait')];
  for (const one of open) one.catch(() => undefined);
  await settled();
  expect(gateway.upstreams.get('slow')?.calls).toEqual({ open: 2, waiting: 1 });
  const data = { label: 'slow', outcome: 'not-sent', retryAfterMs: 2_000 };
  await expect(client.attempt('slow__wait')).rejects.toMatchObject({ code: -32603, data });
  const late = expect(open[2]).rejects.toMatchObject({
    message: expect.stringContaining('no turn within 2000 ms'),
    data,
  });
  await time.advance(2_000);
  await late;
  expect((await client.call('clock__now')).text).toBe('12:00');
});

test('an upstream that stays away is warned of once', async () => {
  const time = virtualClock();
  const warnings: string[] = [];
  const gone = (): Promise<never> => Promise.reject(new Error('no way there'));
  await using gateway = gatewayOf(
    { clock: clock(), gone },
    { clock: time, onWarning: (one) => void warnings.push(one) },
  );
  await using client = await connect(gateway);
  for (let minute = 0; minute < 5; minute++) {
    for (const list of ['tools', 'prompts', 'resources', 'templates'] as const) await client.list(list).all();
    await time.advance(60_000);
  }
  const why = 'gone: its tools could not be listed: no way there';
  expect(warnings).toEqual([`${why}. The gateway tries again in 2 s, then less often, at least every 30 s`]);
});

describe('an upstream that a reload removes', () => {
  const bare = { name: 'acme', version: '1', upstreams: { clock: clock() } };

  test('has calls that fail with their outcome', async () => {
    const time = virtualClock();
    const called = new Deferred<void>();
    const shop = new FakeServer({
      revision: STATELESS,
      on: {
        'tools/list': oneTool('find'),
        'tools/call': () => {
          called.resolve();
          return silence;
        },
      },
    });
    const options = { transport: shop.transport, timeouts: { callMs: 1_000 } };
    await using gateway = gatewayOf({ shop: options }, { clock: time });
    await using client = await connect(gateway);
    const call = expect(client.call('shop__find')).rejects.toMatchObject({
      data: { outcome: 'unknown', label: 'shop' },
    });
    await called.promise;
    gateway.reload({ ...bare, clock: time });
    await time.advance(1_000);
    await call;
  });

  test('can still ask the callers of its calls that run', async () => {
    const [called, removed] = [new Deferred<void>(), new Deferred<void>()];
    const book = tool({
      name: 'book',
      run: async (_input, ctx) => {
        called.resolve();
        await removed.promise;
        return (await ctx.confirm('sure', 'Sure?')) ? 'booked' : 'not booked';
      },
    });
    await using gateway = gatewayOf({ shop: createServer({ name: 'shop', version: '1', parts: [book] }) });
    const elicit = (): ElicitResult => ({ action: 'accept', content: { confirm: true } });
    await using client = await connect(gateway, { revisions: [SESSIONS], elicit });
    const call = client.call('shop__book');
    await called.promise;
    gateway.reload(bare);
    removed.resolve();
    expect((await call).text).toBe('booked');
  });

  test('gets no call that a user approves afterwards', async () => {
    const policy = [gatewayRules.ask({})];
    await using gateway = gatewayOf({ shop: clock() }, { policy });
    const elicit = (): ElicitResult => {
      gateway.reload({ ...bare, policy });
      return { action: 'accept', content: { confirm: true } };
    };
    await using client = await connect(gateway, { revisions: [SESSIONS], elicit });
    expect(await client.attempt('shop__now')).toMatchObject({
      isError: true,
      text: 'The server shop is no longer served',
      meta: { 'dev.mooring/outcome': 'not-sent' },
    });
  });
});
