/** The contract of a backend with a real Redis, through two clients, single and clustered; and faults that only Redis has. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Backend, type RedisBackendOptions, redisBackend } from '../../src/stores/redis/index.ts';
import { everyBackend } from '../../src/testing/index.ts';
import {
  type Connect,
  clusterClients,
  connectIoredis,
  connectNodeRedis,
  type OpenConnection,
  singleClients,
} from './redis-clients.ts';
import { type RedisServer, startCluster, startRedis } from './redis-server.ts';

function contract(start: () => Promise<RedisServer>, connect: Connect): void {
  let server: RedisServer;
  let connections: OpenConnection[] = [];
  beforeAll(async () => {
    server = await start();
    connections = [await connect(server.port), await connect(server.port)];
  });
  afterAll(async () => {
    for (const connection of connections) connection.end();
    await server.stop();
  });
  let turn = 0;
  const checks = everyBackend((prefix) => {
    const connection = connections[turn++ % 2] as OpenConnection; // there are two
    return redisBackend({ ...connection, prefix, clock: server.clock });
  });
  for (const { name, run } of checks) test(name, run);
}

for (const [name, connect] of Object.entries(singleClients))
  describe(`${name}, one server`, () => contract(startRedis, connect));
for (const [name, connect] of Object.entries(clusterClients))
  describe(`${name}, a cluster of three`, () => contract(startCluster, connect));

describe.each([
  ['node-redis', connectNodeRedis],
  ['ioredis', connectIoredis],
])('%s', (_, connect) => {
  let server: RedisServer;
  let connection: OpenConnection;
  let backend: Backend;
  beforeAll(async () => {
    server = await startRedis();
    connection = await connect(server.port);
    backend = opened();
  });
  afterAll(async () => {
    connection.end();
    await server.stop();
  });
  const opened = (options: Partial<RedisBackendOptions> = {}): Backend =>
    redisBackend({ ...connection, prefix: 'x', clock: server.clock, ...options });
  const raw = (...command: string[]): Promise<unknown> => connection.send(command, command[1] ?? '');

  test('scripts that the server forgot are sent again', async () => {
    await backend.keyed.put('forgotten', 'a', { ttlMs: 60_000 });
    await raw('SCRIPT', 'FLUSH');
    expect(await backend.keyed.put('forgotten', 'b', { ttlMs: 60_000 })).toEqual(expect.any(String));
    expect((await backend.keyed.get('forgotten'))?.value).toBe('b');
  });

  test('of values that are known, reads that come together get what differs', async () => {
    const { keyed } = backend;
    const names = ['same', 'marked', 'unmarked', 'put', 'ended', 'never'];
    for (const name of names.slice(0, -1)) {
      await keyed.put(name, 'a', { ttlMs: 60_000 });
      await keyed.touch(name, 60_000, '1');
    }
    const known = await Promise.all(names.map((name) => keyed.get(name)));
    expect(known.map((entry) => entry?.mark)).toEqual(['1', '1', '1', '1', '1', undefined]);
    await keyed.touch('marked', 60_000, '2');
    await raw('HDEL', 'x:unmarked', 'm');
    const version = await keyed.put('put', 'b', { ttlMs: 60_000 });
    await keyed.delete('ended');
    const again = await Promise.all(names.map((name, i) => keyed.get(name, known[i])));
    const [same, marked, unmarked] = known;
    expect(again).toEqual([
      same,
      { ...marked, mark: '2' },
      { value: 'a', version: unmarked?.version },
      { value: 'b', version },
      undefined,
      undefined,
    ]);
  });

  test('a count from a clock that is ahead is cut to one burst', async () => {
    const rate = { limit: 10, perMs: 10_000 };
    await backend.count.take('ahead', rate);
    await raw('SET', 'x:ahead', `${Date.now() + 1e9}`);
    const result = await backend.count.take('ahead', rate);
    expect(result.ok ? 0 : result.retryMs).toBeLessThanOrEqual(1_000);
  });

  test('every key has the prefix and expires', async () => {
    await raw('FLUSHALL');
    await backend.keyed.put('a', 'v', { ttlMs: 60_000 });
    await backend.once.spend('b', 60_000);
    await backend.count.take('c', { limit: 1, perMs: 60_000 });
    await backend.log.append('d', { seq: 1, data: '' }, { ttlMs: 60_000, keep: 10 });
    const keys = ((await raw('KEYS', '*')) as string[]).toSorted();
    expect(keys).toEqual(['x:a', 'x:b', 'x:c', 'x:d']);
    for (const key of keys) expect(Number(await raw('PTTL', key))).toBeGreaterThan(0);
  });

  test('a Redis that is stopped is away after the timeout, and is back without a restart', async () => {
    const quick = opened({ timeoutMs: 100 });
    await quick.keyed.put('paused', 'a', { ttlMs: 60_000 });
    server.pause();
    await expect(quick.keyed.get('paused')).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
    server.resume();
    await expect.poll(() => quick.keyed.get('paused').catch(() => undefined)).toMatchObject({ value: 'a' });
  });

  test('no more than 1,000 commands wait for a Redis that is stopped', async () => {
    const quick = opened({ timeoutMs: 30_000 });
    await quick.keyed.get('a');
    server.pause();
    const waiting = Array.from({ length: 1_000 }, () => quick.keyed.get('a'));
    await expect(quick.keyed.get('a')).rejects.toThrow('1000 commands wait for a reply');
    server.resume();
    await Promise.all(waiting);
    expect(await quick.keyed.get('a')).toMatchObject({ value: 'v' });
  });

  test('after a restart everything goes on: values, scripts and subscriptions', async () => {
    let missed = 0;
    const heard = new Set<string>();
    const stop = backend.channel.subscribe(
      'news',
      (data) => heard.add(data),
      () => missed++,
    );
    await backend.keyed.put('kept', 'a', { ttlMs: 60_000 });
    await expect.poll(() => backend.channel.publish('news', 'before').then(() => heard.has('before'))).toBe(true);
    missed = 0;
    await server.restart();
    await expect.poll(() => backend.keyed.get('kept').catch(() => undefined)).toMatchObject({ value: 'a' });
    await expect.poll(() => backend.channel.publish('news', 'after').then(() => heard.has('after'))).toBe(true);
    expect(missed).toBeGreaterThan(0);
    expect(await backend.keyed.put('kept', 'b', { ttlMs: 60_000 })).toEqual(expect.any(String));
    stop();
  });

  test('a Redis with any policy but noeviction is refused as a state store, unless its memory has no limit', async () => {
    const policies = [
      'allkeys-lru',
      'allkeys-lfu',
      'allkeys-random',
      'volatile-lru',
      'volatile-lfu',
      'volatile-random',
      'volatile-ttl',
    ];
    await raw('CONFIG', 'SET', 'maxmemory', '100mb');
    for (const policy of policies) {
      await raw('CONFIG', 'SET', 'maxmemory-policy', policy);
      const refused = opened();
      await expect(refused.once.spend(policy, 1_000)).rejects.toThrow(`maxmemory-policy is ${policy}`);
      await expect(refused.keyed.get('a')).rejects.toThrow('Set it to noeviction, or maxmemory to 0');
    }
    await raw('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expect(await opened().once.spend('noeviction', 1_000)).toBe(true);
    await raw('CONFIG', 'SET', 'maxmemory', '0');
    await raw('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await opened().once.spend('unlimited', 1_000)).toBe(true);
    await raw('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  });

  test('a Redis that does not say whether it evicts is used with a warning', async () => {
    const warnings: string[] = [];
    const send: typeof connection.send = (command, key) =>
      command[0] === 'INFO' ? Promise.reject(new Error('NOPERM no permissions')) : connection.send(command, key);
    const unsure = opened({ send, onWarning: (text) => warnings.push(text) });
    expect(await unsure.once.spend('unsure', 60_000)).toBe(true);
    expect(await unsure.once.spend('unsure', 60_000)).toBe(false);
    expect(warnings).toEqual([expect.stringContaining('maxmemory-policy noeviction')]);
  });
});
