/**
 * Two processes behind one address, as a cluster runs them: each request goes to either, sessions and news are shared, and one of them is
 * stopped in the middle of a call. Here both are in one program, and a Map stands for the database that they share.
 *
 *   npx tsx examples/deploying.ts
 */
import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer, type EventLog, memoryNewsBus, type NewsBus, type SessionStore, tool } from 'mooring';
import { connect } from 'mooring/client';
import { nodeHandler } from 'mooring/node';

// #region shared
/** What every process must have in common: from Redis, from a database, from the secrets of the cluster. */
interface Shared {
  readonly store: SessionStore;
  readonly log: EventLog;
  readonly news: NewsBus;
  readonly stateKeys: readonly Uint8Array<ArrayBuffer>[];
}

function storeOn(kept: Map<string, string>): SessionStore {
  return {
    get: async (id) => JSON.parse(kept.get(id) ?? 'null') ?? undefined,
    put: async (id, stored) => void kept.set(id, JSON.stringify(stored)), // with an expiry of your sessionIdleMs
    async touch(id, usedAt) {
      const stored = kept.get(id);
      if (stored !== undefined) kept.set(id, JSON.stringify({ ...JSON.parse(stored), usedAt }));
    },
    delete: async (id) => void kept.delete(id),
  };
}

function logOn(kept: Map<string, string[]>): EventLog {
  return {
    append: async (stream, event) => void kept.set(stream, [...(kept.get(stream) ?? []), JSON.stringify(event)]),
    read: async (stream, after) =>
      kept
        .get(stream)
        ?.slice(after)
        .map((event) => JSON.parse(event)),
  };
}
// #endregion

let napping = 0;

// #region instance
async function startInstance({ store, log, ...shared }: Shared, name: string) {
  const whoami = tool({ name: 'whoami', run: () => name });
  const nap = tool({
    name: 'nap',
    run() {
      napping++;
      return pause(200, `${name} slept`);
    },
  });
  const learn = tool({
    name: 'learn',
    run() {
      if (!server.remove('learnt')) server.add(tool({ name: 'learnt', run: () => 'New' }));
      return name;
    },
  });
  const server = createServer({ name: 'cluster', version: '1.0.0', parts: [whoami, nap, learn], ...shared });
  const mcp = nodeHandler(server, { path: '/mcp', store, log });

  let stopping = false;
  const http = createHttpServer((request, response) => {
    if (request.url === '/health') response.writeHead(stopping ? 503 : 200).end();
    else mcp(request, response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');

  /** On SIGTERM: the balancer is told first, then what is in hand is answered, then the streams end. */
  async function stop(): Promise<void> {
    stopping = true;
    await mcp.close(10_000);
    http.close();
    http.closeAllConnections();
  }
  const { port } = http.address() as AddressInfo; // it listens on a port
  return { origin: `http://127.0.0.1:${port}`, revisions: server.revisions, stop };
}
// #endregion

const shared: Shared = {
  store: storeOn(new Map()),
  log: logOn(new Map()),
  news: memoryNewsBus(),
  stateKeys: [new Uint8Array(randomBytes(32))],
};
const instances = [await startInstance(shared, 'one'), await startInstance(shared, 'two')] as const;
const { revisions } = instances[0];

/** The balancer: each request to the next instance that is healthy. */
let turn = 0;
async function balanced(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  for (;;) {
    const { origin } = instances[turn++ % 2] ?? instances[0];
    const healthy = await fetch(`${origin}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (healthy) return fetch(origin + pathname, init);
  }
}

for (const revision of revisions) {
  await using client = await connect('http://cluster.test/mcp', { revisions: [revision], fetch: balanced });
  const met = new Set<string>();
  for (let call = 1; call <= 4; call++) met.add((await client.call('whoami')).text);
  assert.deepEqual([...met].sort(), ['one', 'two'], 'one session, served by both');

  const watch = client.watch({ tools: true });
  const news = watch[Symbol.asyncIterator]().next();
  await watch.granted;
  await client.call('learn');
  assert.deepEqual((await news).value, { kind: 'tools' }, 'wherever it was learnt');
  console.log(`${revision}: two processes are as good as one`);
}

await using client = await connect('http://cluster.test/mcp', { fetch: balanced });
const naps = [client.call('nap'), client.call('nap')];
while (napping < 2) await pause(1);
await instances[0].stop();
assert.deepEqual((await Promise.all(naps)).map(({ text }) => text).sort(), ['one slept', 'two slept']);
for (let call = 1; call <= 3; call++) assert.equal((await client.call('whoami')).text, 'two');
await instances[1].stop();
