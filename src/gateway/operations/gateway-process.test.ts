/** A gateway that runs from a file: listening, reloading, draining. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folder } from '../../../test/support/command-line.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { soon } from '../../../test/support/soon.ts';
import type { Client } from '../../client/index.ts';
import { connect } from '../../connect/index.ts';
import { verifyAudit } from '../../host/index.ts';
import { createServer, tool } from '../../index.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { memoryBackend } from '../../stores/memory-backend.ts';
import { sharedStores } from '../../stores/shared-stores.ts';
import { serveHttp } from '../../transport/node.ts';
import type { GatewayFile } from '../file/gateway-file.ts';
import { type GatewayProcess, startGateway } from './gateway-process.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Held {
  readonly url: string;
  readonly opened: number;
  release(): void;
}

/** A server with a tool that responds at once, and one that waits to be released. */
async function upstream(name: string): Promise<Held> {
  let opened = 0;
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const parts = [
    tool({ name: 'hello', effects: 'read', run: () => `hello from ${name}` }),
    tool({
      name: 'slow',
      run: async () => {
        await gate;
        return `late from ${name}`;
      },
    }),
  ];
  const server = createServer({ name, version: '1.0.0', parts });
  const counted = {
    ...server,
    open: (...args: Parameters<typeof server.open>) => {
      opened++;
      return server.open(...args);
    },
  };
  const listener = await serveHttp(counted, { port: 0 });
  closing.push(() => listener.close(0));
  return {
    url: listener.url,
    get opened() {
      return opened;
    },
    release,
  };
}

const warnings: string[] = [];
async function running(config: GatewayFile, clock: Clock = systemClock): Promise<GatewayProcess> {
  const own = { listen: { address: '127.0.0.1:0', ...config.listen }, operations: { listen: '127.0.0.1:0' } };
  const onWarning = (warning: string): void => void warnings.push(warning);
  const started = await startGateway({ ...config, ...own }, { clock, onWarning });
  closing.push(() => started.drain(0));
  return started;
}

async function caller(url: string): Promise<Client> {
  const client = await connect(url);
  closing.push(() => client.close());
  return client;
}

const toolsOf = async (client: Client): Promise<readonly string[]> =>
  (await client.list('tools').all()).map(({ name }) => name);

test('a gateway with 20 upstreams that do not answer listens at once, and the one that answers serves its tools', async () => {
  // Accepts connections, and never sends anything.
  const silent = createTcpServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  closing.push(async () => silent.close());
  const { port } = silent.address() as AddressInfo;
  const { url } = await upstream('shop');
  const dead = Array.from({ length: 20 }, (_, at) => [
    `dead-${at}`,
    { url: `http://127.0.0.1:${port}/${at}`, timeouts: { listMs: 200 } },
  ]);
  const process = await running({ upstreams: { shop: { url }, ...Object.fromEntries(dead) } });
  expect(process.isReady()).toBe(true);
  const client = await caller(process.url);
  expect(await toolsOf(client)).toEqual(['shop__hello', 'shop__slow']);
  expect((await client.call('shop__hello')).text).toBe('hello from shop');
});

test('a gateway does not start where another process has one of its ports, and leaves the others free', async () => {
  const taken = createTcpServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  closing.push(async () => taken.close());
  const { port: used } = taken.address() as AddressInfo;
  const key = randomBytes(32).toString('base64url');
  const stores = sharedStores(memoryBackend());
  const places = ['listen', 'operations', 'peer'] as const;
  for (const place of places) {
    const ports = Object.fromEntries(await Promise.all(places.map(async (one) => [one, await freePort()] as const)));
    const at = (one: string): string => `127.0.0.1:${one === place ? used : ports[one]}`;
    const config: GatewayFile = {
      ...{
        listen: { address: at('listen') },
        operations: { listen: at('operations') },
        keys: { state: key, peer: key },
      },
      ...{ peer: { listen: at('peer'), advertise: `http://${at('peer')}` }, upstreams: {} },
    };
    const options = { clock: systemClock, stores, onWarning: () => undefined };
    await expect(startGateway(config, options)).rejects.toMatchObject({ code: 'EADDRINUSE', port: used });
    for (const one of places.filter((other) => other !== place)) {
      const free = createTcpServer();
      await new Promise<void>((resolve, reject) => free.once('error', reject).listen(ports[one], '127.0.0.1', resolve));
      await new Promise((resolve) => free.close(resolve));
    }
  }
});

test('why the store of sessions failed is warned of, and counted', async () => {
  const { keyed, ...backend } = memoryBackend();
  const put = (): Promise<never> => Promise.reject(new Error('READONLY this is a replica'));
  const stores = sharedStores({ ...backend, keyed: { ...keyed, put } });
  const own = { listen: { address: '127.0.0.1:0' }, operations: { listen: '127.0.0.1:0' }, upstreams: {} };
  const said: string[] = [];
  const onWarning = (warning: string): void => void said.push(warning);
  const started = await startGateway(own, { clock: systemClock, stores, onWarning });
  closing.push(() => started.drain(0));
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const response = await fetch(started.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  expect([response.status, await response.json()]).toMatchObject([503, { error: { code: -32603 } }]);
  expect(said).toEqual(['The shared store failed (sessions): READONLY this is a replica']);
  expect(started.metrics()).toContain('mooring_gateway_store_failures_total{use="sessions"}');
});

test('each view has an endpoint of its own below the path, and only the default one is at the path itself', async () => {
  const [shop, clock] = [await upstream('shop'), await upstream('clock')];
  const process = await running({
    upstreams: { shop: { url: shop.url }, clock: { url: clock.url } },
    views: { default: { of: ['shop'] }, ops: { of: [{ clock: { tools: ['hel*'] } }] } },
  });
  expect(await toolsOf(await caller(process.url))).toEqual(['shop__hello', 'shop__slow']);
  expect(await toolsOf(await caller(`${process.url}/ops`))).toEqual(['clock__hello']);
  expect((await fetch(`${process.url}/other`, { method: 'POST', body: '{}' })).status).toBe(404);
});

test('a reload drops no call, keeps the conversations of unchanged upstreams, and lets calls of removed ones end', async () => {
  const [shop, clock, mail] = [await upstream('shop'), await upstream('clock'), await upstream('mail')];
  const process = await running({ upstreams: { shop: { url: shop.url }, clock: { url: clock.url } } });
  const client = await caller(process.url);
  const late = [client.call('shop__slow'), client.call('clock__slow')];
  await soon(() => expect(JSON.stringify(process.status()).match(/"open":1/g)).toHaveLength(2));
  const before = shop.opened;
  const report = process.reload({ upstreams: { shop: { url: shop.url }, mail: { url: mail.url } } });
  expect(report).toMatchObject({ added: ['mail'], removed: ['clock'], changed: [] });
  await soon(async () =>
    expect(await (async () => await toolsOf(client))()).toEqual([
      'shop__hello',
      'shop__slow',
      'mail__hello',
      'mail__slow',
    ]),
  );
  shop.release();
  clock.release();
  expect((await Promise.all(late)).map(({ text }) => text)).toEqual(['late from shop', 'late from clock']);
  expect((await client.call('shop__hello')).text).toBe('hello from shop');
  expect(shop.opened).toBe(before);
  await expect(client.call('clock__hello')).rejects.toThrow('clock__hello');
});

test('a file that cannot be a gateway changes nothing', async () => {
  const shop = await upstream('shop');
  const process = await running({ upstreams: { shop: { url: shop.url } } });
  const client = await caller(process.url);
  await toolsOf(client);
  const { opened } = shop;
  expect(
    process.reload({ upstreams: { shop: { url: 'http://127.0.0.1:1' } }, views: { default: { of: ['shp'] } } }),
  ).toContain('shp');
  expect((await client.call('shop__hello')).text).toBe('hello from shop');
  expect(process.metrics()).toContain('mooring_gateway_reload_total{end="failed"} 1');
  // The previous file, whose upstream still runs.
  expect(process.reload({ upstreams: { shop: { url: shop.url } } })).toMatchObject({
    added: [],
    removed: [],
    changed: [],
  });
  expect(shop.opened).toBe(opened);
});

test('draining turns readiness off at once, still answers while the balancer notices, and lets a running call finish', async () => {
  const shop = await upstream('shop');
  const settleMs = 54_321;
  let settle: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    after(ms, run, options) {
      if (ms !== settleMs) return systemClock.after(ms, run, options);
      settle = run;
      return () => undefined;
    },
  };
  const process = await running({ upstreams: { shop: { url: shop.url } } }, clock);
  const client = await caller(process.url);
  const late = client.call('shop__slow');
  await soon(() => expect(JSON.stringify(process.status())).toContain('"open":1'));
  const drained = process.drain(settleMs);
  expect((await fetch(`${process.operationsUrl}/ready`)).status).toBe(503);
  expect((await fetch(`${process.operationsUrl}/health`)).status).toBe(200);
  expect((await client.call('shop__hello')).text).toBe('hello from shop');
  settle();
  shop.release();
  expect((await late).text).toBe('late from shop');
  await drained;
  await expect(fetch(process.url)).rejects.toThrow();
  await expect(fetch(`${process.operationsUrl}/health`)).rejects.toThrow();
});

test('a step of stopping that fails is warned of, and the others are taken all the same', async () => {
  const { channel, ...backend } = memoryBackend();
  const subscribe: typeof channel.subscribe = (...given) => {
    const stop = channel.subscribe(...given);
    return () => {
      stop();
      throw new Error('the connection is gone');
    };
  };
  const stores = sharedStores({ ...backend, channel: { ...channel, subscribe } });
  const shop = await upstream('shop');
  const key = randomBytes(32).toString('base64');
  const said: string[] = [];
  const config: GatewayFile = {
    listen: { address: '127.0.0.1:0' },
    operations: { listen: '127.0.0.1:0' },
    peer: { listen: '127.0.0.1:0', advertise: 'http://127.0.0.1:1' },
    keys: { state: key, peer: key },
    upstreams: { shop: { url: shop.url } },
  };
  const onWarning = (warning: string): void => void said.push(warning);
  const process = await startGateway(config, { clock: systemClock, stores, onWarning });
  closing.push(() => process.drain(0));
  const client = await caller(process.url);
  expect((await client.call('shop__hello')).text).toBe('hello from shop');
  await process.drain(0);
  expect(said).toEqual(['The gateway did not stop cleanly: the connection is gone']);
  expect(JSON.stringify(process.status())).toContain('"conversations":0');
  await expect(fetch(`${process.operationsUrl}/health`)).rejects.toThrow();
});

test('rules, the audit log and the counters of a file are in force, and a reload changes rules between two calls', async () => {
  await using place = await folder();
  const shop = await upstream('shop');
  const file = join(place.path, 'audit.ndjson');
  const config = { upstreams: { shop: { url: shop.url } }, audit: { file } };
  const process = await running({ ...config, policy: [{ deny: { name: 'slow' } }, { allow: {} }] });
  const client = await caller(process.url);
  expect(await toolsOf(client)).toEqual(['shop__hello']);
  expect((await client.call('shop__hello')).text).toBe('hello from shop');
  process.reload({ ...config, policy: [{ deny: { name: 'hello', visible: true } }, { allow: {} }] });
  expect(await client.attempt('shop__hello')).toMatchObject({ isError: true });
  const lines = process.metrics().split('\n');
  expect(lines).toContain('mooring_gateway_calls_total{upstream="shop",outcome="done"} 1');
  expect(lines).toContain('mooring_gateway_policy_total{verdict="allow",rule="policy.1"} 1');
  expect(lines).toContain('mooring_gateway_upstream_up{upstream="shop"} 1');
  await process.drain(0);
  expect((await verifyAudit(file)).ok).toBe(true);
  expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(4);
});

test('what is withheld is in the status and the metrics with its reason, and warned of once', async () => {
  const [shop, mail] = [await upstream('shop'), await upstream('mail')];
  warnings.length = 0;
  const upstreams = { shop: { url: shop.url }, mail: { url: mail.url } };
  const process = await running({ upstreams, names: { style: 'bare', rename: { mail: { slow: 'later' } } } });
  const client = await caller(process.url);
  await soon(async () => expect(await toolsOf(client)).toEqual(['slow', 'later']));
  const withheld = ['shop', 'mail'].map((one, at) => ({
    ...{ view: 'default', upstream: one, kind: 'tool', name: 'hello' },
    why: `"hello" is also a name of ${['mail', 'shop'][at]}`,
  }));
  expect(process.status()).toMatchObject({ withheld });
  expect(process.metrics()).toContain('mooring_gateway_withheld{view="default"} 2');
  expect(await toolsOf(client)).toHaveLength(2);
  expect(warnings.filter((warning) => warning.includes('withheld'))).toEqual([
    'shop: the tool "hello" is withheld: "hello" is also a name of mail',
    'mail: the tool "hello" is withheld: "hello" is also a name of shop',
  ]);
});
