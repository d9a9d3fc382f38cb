/** The contract of a task store with a real Redis, through two clients, single and clustered. */
import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisSend, redisTasks } from '../../src/extensions/tasks/index.ts';
import type { StoredTask } from '../../src/model/task-record.ts';
import { taskStoreChecks } from '../../src/testing/index.ts';
import { type RedisServer, startCluster, startRedis } from './redis-server.ts';
import { sampleTask } from './sample-task.ts';

interface Sender {
  readonly send: RedisSend;
  end(): unknown;
}

const clients: Record<string, (port: number) => Promise<Sender>> = {
  async 'node-redis'(port) {
    const client = createClient({ url: `redis://127.0.0.1:${port}` });
    await client.connect();
    return { send: (command) => client.sendCommand(command), end: () => client.destroy() };
  },
  async 'node-redis, RESP3'(port) {
    const client = createClient({ url: `redis://127.0.0.1:${port}`, RESP: 3 });
    await client.connect();
    return { send: (command) => client.sendCommand(command), end: () => client.destroy() };
  },
  async ioredis(port) {
    const client = new Redis(port);
    return { send: ([name = '', ...args]) => client.call(name, ...args), end: () => client.disconnect() };
  },
};

const clusterClients: Record<string, (port: number) => Promise<Sender>> = {
  async 'node-redis'(port) {
    const cluster = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
    await cluster.connect();
    return { send: (command, key) => cluster.sendCommand(key, false, command), end: () => cluster.destroy() };
  },
  async ioredis(port) {
    const cluster = new Cluster([{ host: '127.0.0.1', port }]);
    return { send: ([name = '', ...args]) => cluster.call(name, ...args), end: () => cluster.disconnect() };
  },
};

function contract(start: () => Promise<RedisServer>, connect: (port: number) => Promise<Sender>): void {
  let server: RedisServer;
  let senders: Sender[] = [];
  beforeAll(async () => {
    server = await start();
    senders = [await connect(server.port), await connect(server.port)];
  });
  afterAll(async () => {
    for (const sender of senders) sender.end();
    await server.stop();
  });
  let turn = 0;
  const checks = taskStoreChecks((prefix) => {
    const { send } = senders[turn++ % 2] as Sender; // there are two
    return redisTasks({ send, prefix });
  });
  for (const { name, run } of checks) test(name, run);
}

for (const [name, connect] of Object.entries(clients))
  describe(`${name}, one server`, () => contract(startRedis, connect));
for (const [name, connect] of Object.entries(clusterClients))
  describe(`${name}, a cluster of three`, () => contract(startCluster, connect));

describe('keys', () => {
  let server: RedisServer;
  let client: Redis;
  const send: RedisSend = ([name = '', ...args]) => client.call(name, ...args);
  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.port);
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });
  const ended = (task: StoredTask, dueAt: number, ttlMs: number | null = 1_000): StoredTask => ({
    ...task,
    ...{ version: 2, status: 'completed', outcome: { result: {} }, dueAt, ttlMs },
  });

  test('only a finished task expires, and only one that has an end', async () => {
    const store = redisTasks({ send, prefix: 'expiry' });
    const soon = Date.now() + 60_000;
    for (const id of ['open', 'ended', 'kept']) await store.create(sampleTask({ id, dueAt: soon, ttlMs: 1_000 }));
    await store.put(ended(sampleTask({ id: 'ended' }), soon), 1);
    await store.put(ended(sampleTask({ id: 'kept' }), soon, null), 1);
    const lives = await Promise.all(['open', 'ended', 'kept'].map((id) => client.pttl(`{expiry}:task:${id}`)));
    expect(lives.map((ms) => ms > 0)).toEqual([false, true, false]);
  });

  test('what a task that expired leaves behind is taken away when it is due, and hides no other task', async () => {
    const store = redisTasks({ send, prefix: 'left' });
    await store.create(sampleTask({ id: 'gone', createdAt: 1, dueAt: 1 }));
    await store.create(sampleTask({ id: 'here', createdAt: 2, dueAt: 2 }));
    await store.put(ended(sampleTask({ id: 'gone', createdAt: 1 }), Date.now() - 1), 1);
    expect(await client.exists('{left}:task:gone')).toBe(0);
    expect((await store.list('owner', undefined, 1)).map(({ id }) => id)).toEqual(['here']);
    expect((await store.due(Date.now(), 1)).map(({ id }) => id)).toEqual(['here']);
    await store.delete('here');
    expect(await client.keys('{left}:*')).toEqual([]);
  });

  test('no key has the name of a person in it, and all have the prefix', async () => {
    const store = redisTasks({ send, prefix: 'names' });
    const before = new Set(await client.keys('*'));
    await store.create(sampleTask({ owner: 'p:ada@example.test' }));
    const added = (await client.keys('*')).filter((key) => !before.has(key));
    expect(added.length).toBeGreaterThan(3);
    expect(added.filter((key) => !key.startsWith('{names}:') || key.includes('ada'))).toEqual([]);
  });

  test('scripts are sent whole once, also after the server forgot them', async () => {
    const commands: string[] = [];
    const store = redisTasks({
      prefix: 'scripts',
      send(command, key) {
        commands.push(command[0] ?? '');
        return send(command, key);
      },
    });
    await client.script('FLUSH');
    await store.create(sampleTask({ id: 'a' }));
    await store.create(sampleTask({ id: 'b' }));
    await client.script('FLUSH');
    await store.create(sampleTask({ id: 'c' }));
    expect(commands).toEqual(['EVALSHA', 'EVAL', 'EVALSHA', 'EVALSHA', 'EVAL']);
    expect(await store.count()).toBe(3);
  });

  test('a failure of Redis reaches the caller', async () => {
    const store = redisTasks({ send: () => Promise.reject(new Error('READONLY')), prefix: 'x' });
    await expect(store.create(sampleTask())).rejects.toThrow('READONLY');
    await expect(store.get('a')).rejects.toThrow('READONLY');
  });
});
