/** Servers while a real Redis is unreachable, slow, restarted or emptied. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resource, tool } from '../../src/index.ts';
import { nextTurn } from '../../src/peer/runtime.ts';
import { redisBackend, type SharedStores, sharedStores } from '../../src/stores/redis/index.ts';
import { type VirtualClock, virtualClock } from '../../src/testing/index.ts';
import { HttpService } from '../../src/transport/http/service.ts';
import { type Port, port } from '../fixtures/port.ts';
import { type FakeReply, knock, started } from '../support/fake-http.ts';
import { call, opened, progressing, request, stateless } from '../support/http-messages.ts';
import { hello, withHandshake } from '../support/raw.ts';
import { connectIoredis, connectNodeRedis, type OpenConnection } from './redis-clients.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

let redis: RedisServer;
let clock: VirtualClock;
let prefix = '';
let nodes: Node[] = [];

interface Node extends Port {
  readonly service: HttpService;
  readonly stores: SharedStores;
  readonly connection: OpenConnection;
  /** Lets calls of `steps` take one more step. */
  step(): void;
  /** Failures, in order. */
  readonly failed: string[];
  end(): Promise<void>;
}

/** Simulates a process that shares Redis: a node with its own connections. */
async function node(index: number): Promise<Node> {
  const connection = await (index % 2 ? connectIoredis : connectNodeRedis)(redis.port);
  // Commands time out in real time while Redis is stopped, and processes expire in virtual time.
  const stores = sharedStores(redisBackend({ ...connection, prefix, clock: redis.clock }), { clock });
  const failed: string[] = [];
  const made = port({ changes: stores.changes, singleUse: stores.singleUse, stateKeys: [new Uint8Array(32)] });
  made.server.add(resource({ name: 'r', uri: 'test://r', read: () => 'r' }));
  const { sessions, eventLog } = stores;
  const onStoreError = (_: unknown, operation: string): void => void failed.push(operation);
  const service = new HttpService(made.server, { sessions, eventLog, clock, onStoreError });
  const steps: (() => void)[] = [];
  made.server.add(
    tool({
      name: 'steps',
      run: async (_, ctx) => {
        for (let n = 1; n <= 4; n++) {
          ctx.progress(n);
          await new Promise<void>((resolve) => steps.push(resolve));
        }
        return 'done';
      },
    }),
  );
  const step = (): void => {
    for (const resolve of steps.splice(0)) resolve();
  };
  const end = async (): Promise<void> => {
    made.go();
    for (let n = 0; n < 5; n++) {
      step();
      await nextTurn();
    }
    await service.close(0);
    connection.end();
  };
  return { ...made, service, stores, connection, failed, step, end };
}

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  clock = virtualClock();
  prefix = crypto.randomUUID();
  nodes = [await node(0), await node(1)];
});
afterEach(async () => {
  redis.resume();
  for (const one of nodes) await one.end();
});

const two = (): [Node, Node] => nodes as [Node, Node]; // opened before each test
const echo = (id: number): ReturnType<typeof call> => call(id, 'echo', { message: 'hi' });
const textOf = (reply: FakeReply): unknown => [reply.status, reply.json['result'] !== undefined];
const served = [200, true];
/** Resolves when all connections reach Redis again. */
const back = (): Promise<void> =>
  expect
    .poll(() => Promise.all(nodes.map((one) => one.stores.backend.keyed.get('any'))).catch(() => 'away'))
    .not.toBe('away');

describe.each(withHandshake)('while Redis is stopped, a session of %s', (revision) => {
  test('goes on for 30 s where it is live, is 503 and never 404 elsewhere, and is not lost', async () => {
    const [a, b] = two();
    const headers = await opened(a.service, revision);
    redis.pause();
    expect(textOf(await knock(a.service, { headers, body: echo(1) }))).toEqual(served);
    const elsewhere = await knock(b.service, { headers, body: echo(2) });
    expect([elsewhere.status, elsewhere.headers['Retry-After']]).toEqual([503, '1']);
    await clock.advance(29_000);
    expect(textOf(await knock(a.service, { headers, body: echo(3) }))).toEqual(served);
    await clock.advance(2_000);
    expect((await knock(a.service, { headers, body: echo(4) })).status).toBe(503);
    redis.resume();
    await back();
    for (const { service } of [a, b]) expect(textOf(await knock(service, { headers, body: echo(5) }))).toEqual(served);
  });

  test('is not opened: initialize is 503, and works later', async () => {
    const [{ service }] = two();
    redis.pause();
    const met = await knock(service, { body: request(1, 'initialize', hello(revision)) });
    expect([met.status, met.headers['Retry-After'], met.headers['Mcp-Session-Id']]).toEqual([503, '1', undefined]);
    redis.resume();
    await back();
    expect((await knock(service, { body: request(1, 'initialize', hello(revision)) })).status).toBe(200);
  });

  test('is not changed: a subscription is 503 and has no effect, and calls go on', async () => {
    const [a, b] = two();
    const headers = await opened(a.service, revision);
    const subscribe = request(1, 'resources/subscribe', { uri: 'test://r' });
    redis.pause();
    expect((await knock(a.service, { headers, body: subscribe })).status).toBe(503);
    expect(textOf(await knock(a.service, { headers, body: echo(2) }))).toEqual(served);
    redis.resume();
    await back();
    const id = headers['mcp-session-id'] ?? '';
    expect((await b.stores.sessions.get(id))?.session.subscriptions ?? []).toEqual([]);
    expect((await knock(a.service, { headers, body: { ...subscribe, id: 3 } })).status).toBe(200);
    expect((await b.stores.sessions.get(id))?.session.subscriptions).toEqual(['test://r']);
  });
});

test('a session that is ended elsewhere while Redis is away from one process ends there when Redis is back', async () => {
  const [a, b] = two();
  const headers = await opened(a.service, '2025-11-25');
  expect((await knock(b.service, { method: 'DELETE', headers })).status).toBe(204);
  expect((await knock(a.service, { headers, body: echo(1) })).status).toBe(404);
});

test('of calls that come together, the one whose session was ended elsewhere is 404, and the others are served', async () => {
  const [a, b] = two();
  const sessions = [];
  for (let i = 0; i < 5; i++) sessions.push(await opened(a.service, '2025-11-25'));
  expect((await knock(b.service, { method: 'DELETE', headers: sessions[2] ?? {} })).status).toBe(204);
  const replies = await Promise.all(sessions.map((headers, i) => knock(a.service, { headers, body: echo(i) })));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200]);
});

test('while Redis is stopped, a stream goes on without ids; resuming before that is 400, and ids return', async () => {
  const [a, b] = two();
  const headers = await opened(a.service, '2025-11-25');
  const { reply, done } = started(a.service, { headers, body: progressing(1, 'steps') });
  const events = (): number => reply.sink?.messages.length ?? 0;
  await expect.poll(events).toBe(1);
  const first = reply.sink?.lastId;
  redis.pause();
  a.step();
  await expect.poll(() => a.failed).toContain('append');
  a.step();
  await expect.poll(events).toBe(3);
  redis.resume();
  await back();
  a.step();
  await expect.poll(events).toBe(4);
  // On the same connection, so the response to the append arrives first.
  await a.stores.backend.keyed.get('any');
  await nextTurn();
  a.step();
  await done;
  // The first event is empty and names the start; the second finds that the log is unreachable.
  const ids = (reply.sink?.events ?? []).map(({ id }) => id?.split('.')[1]);
  expect(ids).toEqual(['0', '1', '2', undefined, undefined, '5']);
  const resumed = await knock(b.service, { method: 'GET', headers: { ...headers, 'last-event-id': first } });
  expect(resumed.status).toBe(400);
});

describe('while Redis is stopped, a request of 2026-07-28', () => {
  test('goes on', async () => {
    const [{ service }] = two();
    redis.pause();
    expect(
      textOf(await knock(service, stateless('tools/call', { name: 'echo', arguments: { message: 'hi' } }))),
    ).toEqual(served);
  });

  test('that brings a state is 503 where each state is used once, and goes on later with the same state', async () => {
    const [a, b] = two();
    const capabilities = { _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } } };
    const asked = await knock(a.service, stateless('tools/call', { name: 'sure', ...capabilities }));
    const { requestState, inputRequests } = asked.json['result'] as { requestState: string; inputRequests: object };
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { confirm: true } } };
    const retry = stateless('tools/call', { name: 'sure', requestState, inputResponses, ...capabilities });
    redis.pause();
    const refused = await knock(a.service, retry);
    expect([refused.status, refused.headers['Retry-After'], refused.json.error?.code]).toEqual([503, '1', -32603]);
    redis.resume();
    await back();
    // A command that timed out may have run, so the state counts as used, which is safe.
    const later = await knock(b.service, retry);
    expect([later.json['result'] !== undefined, later.json.error?.code === -32602]).toContain(true);
    expect((await knock(a.service, retry)).json.error?.code).toBe(-32602);
  });
});

test('after Redis was killed and restarted, sessions go on in every process', async () => {
  const [a, b] = two();
  const headers = await opened(a.service, '2025-11-25');
  await redis.restart();
  await back();
  for (const { service } of [a, b]) expect(textOf(await knock(service, { headers, body: echo(1) }))).toEqual(served);
});

test('after Redis lost everything, a session is 404 and a stream 400, so that the client begins again', async () => {
  const [a, b] = two();
  const headers = await opened(a.service, '2025-11-25');
  const posted = await knock(a.service, { headers, body: progressing(1, 'count', { to: 3 }) });
  await a.connection.send(['FLUSHALL'], '');
  expect((await knock(a.service, { headers, body: echo(2) })).status).toBe(404);
  const again = await opened(b.service, '2025-11-25');
  const lost = await knock(b.service, { method: 'GET', headers: { ...again, 'last-event-id': posted.sink?.lastId } });
  expect(lost.status).toBe(400);
});

test('a state that was used is not used again by another process', async () => {
  const [a, b] = two();
  expect(await a.stores.singleUse.spend('s', 60_000)).toBe(true);
  expect(await b.stores.singleUse.spend('s', 60_000)).toBe(false);
  expect(await b.stores.proofLog.spend('s', 60_000)).toBe(true);
  expect(await a.stores.proofLog.spend('s', 60_000)).toBe(false);
});

test('a change is heard in the other process, and everything counts as changed when Redis is back', async () => {
  const [a, b] = two();
  const headers = await opened(b.service, '2025-11-25');
  const standing = started(b.service, { method: 'GET', headers });
  await standing.done;
  const heard = (): number => standing.reply.sink?.text.match(/list_changed/g)?.length ?? 0;
  let n = 0;
  const change = (): number => {
    a.server.add(resource({ name: `n${n}`, uri: `test://n${n++}`, read: () => '' }));
    return heard();
  };
  await expect.poll(change).toBeGreaterThan(0);
  await redis.restart();
  const before = heard();
  await back();
  await expect.poll(heard).toBeGreaterThan(before);
});

test('the stream of a process that has died ends with an error for its request, in every process that resumes it', async () => {
  const [a, b] = two();
  const c = await node(0);
  nodes.push(c);
  const headers = await opened(a.service, '2025-11-25');
  const { reply } = started(a.service, { headers, body: progressing(7, 'wait') });
  await expect.poll(() => reply.sink?.messages.length).toBe(1);
  const resume = { method: 'GET', headers: { ...headers, 'last-event-id': reply.sink?.lastId } };
  const keys = async (kind: string): Promise<string[]> =>
    (await b.connection.send(['KEYS', `${prefix}:${kind}:*`], '')) as string[]; // a list of keys
  await expect.poll(() => keys('c')).toHaveLength(1);
  const rest = { retry: '1000' };
  expect((await knock(b.service, resume)).sink?.events.at(-1)).toEqual(rest);
  // Its heartbeat expires, because nothing renews it.
  a.connection.end();
  for (const key of await keys('p')) await b.connection.send(['DEL', key], key);
  expect((await knock(b.service, resume)).sink?.events.at(-1)).toEqual(rest);
  // The delay depends on the clock of Redis, not on those of the nodes.
  const doubts = await keys('w');
  expect(doubts).toHaveLength(1);
  for (const key of doubts) await b.connection.send(['PERSIST', key], key);
  await clock.advance(7_000);
  expect((await knock(c.service, resume)).sink?.events.at(-1)).toEqual(rest);
  for (const key of doubts) await b.connection.send(['DEL', key], key);
  for (const { service } of [b, c, b]) {
    const { sink } = await knock(service, resume);
    expect(sink?.messages).toEqual([
      { jsonrpc: '2.0', id: 7, error: { code: -32603, message: expect.stringContaining('outcome is unknown') } },
    ]);
    expect(sink?.ended).toBe(true);
  }
});
