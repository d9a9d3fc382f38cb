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
import { createServer, memoryChangeBus, type Server, tool } from 'mooring';
import { connect } from 'mooring/client';
import { nodeHandler } from 'mooring/node';
import { eventsIn, type Shared, sessionsIn } from './support/in-maps.ts';

// #region listen
async function listen(server: Server, { sessions, eventLog }: Shared) {
  const mcp = nodeHandler(server, { path: '/mcp', sessions, eventLog });
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
    setTimeout(() => http.closeAllConnections(), 1_000).unref(); // time to read the last words
  }
  const { port } = http.address() as AddressInfo; // it listens on a port
  return { origin: `http://127.0.0.1:${port}`, revisions: server.revisions, stop };
}
// #endregion

let napping = 0;
function startInstance(shared: Shared, name: string): ReturnType<typeof listen> {
  const whoami = tool({ name: 'whoami', run: () => name });
  const nap = tool({
    name: 'nap',
    run(_, ctx) {
      napping++;
      ctx.progress(1, 2, 'asleep');
      ctx.http?.release(20); // the client comes back for the answer, to either
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
  const { changes, stateKeys } = shared;
  const server = createServer({ name: 'cluster', version: '1.0.0', parts: [whoami, nap, learn], changes, stateKeys });
  return listen(server, shared);
}

const shared: Shared = {
  sessions: sessionsIn(new Map()),
  eventLog: eventsIn(new Map()),
  changes: memoryChangeBus(),
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

const onProgress = (): void => undefined;
for (const revision of revisions) {
  await using client = await connect('http://cluster.test/mcp', { revisions: [revision], fetch: balanced });
  const met = new Set<string>();
  for (let call = 1; call <= 4; call++) met.add((await client.call('whoami')).text);
  assert.deepEqual([...met].sort(), ['one', 'two'], 'one session, served by both');
  assert.match((await client.call('nap', {}, { onProgress })).text, /slept/);

  await using watch = client.watch({ tools: true });
  await watch.granted;
  await client.call('learn');
  assert.deepEqual(await watch.nextChange(), { kind: 'tools' }, 'wherever it was learnt');
  console.log(`${revision}: two processes are as good as one`);
}

await using client = await connect('http://cluster.test/mcp', { fetch: balanced });
napping = 0;
const naps = [client.call('nap'), client.call('nap')];
while (napping < 2) await pause(1);
await instances[0].stop();
assert.deepEqual((await Promise.all(naps)).map(({ text }) => text).sort(), ['one slept', 'two slept']);
for (let call = 1; call <= 3; call++) assert.equal((await client.call('whoami')).text, 'two');
await instances[1].stop();
