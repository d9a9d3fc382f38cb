/** Two in-process gateways that share a store: a call that waits on one continues through the other. */
import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { open, type Raw, type RawOptions, STATELESS, textOf } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { createServer, type Server, tool } from '../../index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import type { Backend } from '../../stores/backend.ts';
import { memoryBackend } from '../../stores/memory-backend.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { purposeSealer } from '../bridge/purpose-sealer.ts';
import { GatewayServer } from '../gateway.ts';
import { makeNodeId } from './gateway-nodes.ts';
import { NodeDirectory } from './node-directory.ts';
import { PeerEnvelopes } from './peer-envelope.ts';
import { PeerListener } from './peer-listener.ts';

const keys = [randomBytes(32)];
const ship = { type: 'object', properties: { ship: { type: 'string' } }, required: ['ship'] } as const;

/** Larger than the buffers of a connection. */
const LARGE = 'x'.repeat(8 * 1024 * 1024);

interface Harbour {
  readonly server: Server;
  runs: number;
  aborted: boolean;
  go(): void;
}
/** A tool that asks, reports progress, and ends when the test says so. */
function makeHarbour(): Harbour {
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const harbour: Harbour = { runs: 0, aborted: false, go: () => go(), server: undefined as unknown as Server }; // set below
  const ask = tool({
    name: 'ask',
    run: async (_input, ctx) => {
      harbour.runs++;
      ctx.signal.addEventListener('abort', () => {
        harbour.aborted = true;
      });
      const answer = await ctx.ask('ship', 'Which ship?', ship);
      ctx.progress(1, 2);
      if (answer.value?.['ship'] === 'slow') await gate;
      const name = String(answer.value?.['ship'] ?? answer.action);
      return `moored ${name === 'large' ? LARGE : name}`;
    },
  });
  const server = createServer({ name: 'harbour', version: '1', onError: () => undefined, parts: [ask] });
  return Object.assign(harbour, { server });
}

interface Fleet {
  readonly harbour: Harbour;
  readonly nodes: readonly GatewayServer[];
  caller(node: number, options?: RawOptions): Promise<Raw>;
}
/** Waits of seconds never end, so that a slow machine does not make a node count as dead. */
const patient: Clock = {
  ...systemClock,
  after: (ms, ...more) => systemClock.after(ms < 1_000 ? ms : 600_000, ...more),
};

async function fleet(
  backend: Backend = memoryBackend({ clock: virtualClock() }),
  {
    aheadMs = [0, 0],
    onWarning = (): void => undefined,
  }: { aheadMs?: readonly number[]; onWarning?: (text: string) => void } = {},
): Promise<Fleet> {
  const harbour = makeHarbour();
  const nodes = aheadMs.map(
    (ms) =>
      new GatewayServer({
        name: 'acme',
        version: '1',
        stateKeys: keys,
        onWarning,
        clock: { ...patient, wall: () => patient.wall() + ms },
        peer: { listen: { port: 0 }, keys, store: backend },
        upstreams: { harbour: { server: harbour.server, revisions: ['2025-11-25'] } },
      }),
  );
  for (const node of nodes) await node.prepare();
  onTestFinished(async () => {
    for (const node of nodes) await node.close();
  });
  const caller: Fleet['caller'] = (node, options = {}) => {
    const gateway = nodes[node] as GatewayServer; // there are two
    return open(gateway, { revision: STATELESS, capabilities: { elicitation: {} }, ...options });
  };
  return { harbour, nodes, caller };
}

const call = { name: 'harbour__ask', arguments: {} };
const answered = (asks: JsonObject, name = 'Beagle'): JsonObject => ({
  ...call,
  requestState: asks['requestState'],
  inputResponses: { q1: { action: 'accept', content: { ship: name } } },
});

test('a retry on another node resumes the call where it waits, with its progress, and nothing is done twice', async () => {
  const { harbour, caller } = await fleet();
  const [one, two] = [await caller(0), await caller(1)];
  const asks = await one.result('tools/call', call, { meta: { progressToken: 1 } });
  const retried = two.start('tools/call', answered(asks), { meta: { progressToken: 'p' } });
  const response = await retried.response;
  expect('result' in response && textOf(response.result)).toBe('moored Beagle');
  expect(retried.heard.map(({ params }) => params)).toEqual([{ progressToken: 'p', progress: 1, total: 2 }]);
  expect(harbour.runs).toBe(1);
  // The same retry on the first node gets the same response; other answers get none.
  expect(textOf(await one.result('tools/call', answered(asks)))).toBe('moored Beagle');
  expect(await two.error('tools/call', answered(asks, 'Eve'))).toMatchObject({ code: -32602 });
  expect(harbour.runs).toBe(1);
});

test.each([
  ['ahead of', 5],
  ['behind', -5],
  ['ahead of', 15],
  ['behind', -15],
])(
  'a retry resumes a call on a node whose clock is %s this one by %i minutes, and the difference is told',
  async (side, minutes) => {
    const warnings: string[] = [];
    const onWarning = (text: string): void => void warnings.push(text);
    const { caller } = await fleet(undefined, { aheadMs: [minutes * 60_000, 0], onWarning });
    const [one, two] = [await caller(0), await caller(1)];
    const asks = await one.result('tools/call', call);
    expect(textOf(await two.result('tools/call', answered(asks)))).toBe('moored Beagle');
    expect(warnings).toEqual([
      expect.stringMatching(`^The clock of node .* is about ${Math.abs(minutes)} min ${side} this one`),
    ]);
  },
);

test('questions, errors and missing answers of a call cross nodes too', async () => {
  const { caller } = await fleet();
  const [one, two] = [await caller(0), await caller(1)];
  const asks = await one.result('tools/call', call);
  const again = await two.result('tools/call', { ...call, requestState: asks['requestState'], inputResponses: {} });
  expect(again).toMatchObject({ resultType: 'input_required', inputRequests: { q1: expect.anything() } });
  const bad = { ...call, requestState: again['requestState'], inputResponses: { q1: { action: 'maybe' } } };
  expect(await two.error('tools/call', bad)).toMatchObject({ code: -32602, message: expect.stringContaining('q1') });
  expect(textOf(await two.result('tools/call', answered(again)))).toBe('moored Beagle');
});

test('a retry of a call whose node is dead ends as unknown', async () => {
  const backend = memoryBackend();
  // A node that was killed leaves its record.
  const { nodes, caller } = await fleet({
    ...backend,
    keyed: { ...backend.keyed, delete: () => Promise.resolve(true) },
  });
  const [one, two] = [await caller(0), await caller(1)];
  const asks = await one.result('tools/call', call);
  await nodes[0]?.state.nodes?.close();
  expect(await two.error('tools/call', answered(asks))).toEqual({
    code: -32603,
    message: 'The outcome of the call to "harbour" is unknown: the node that it waits on is gone',
    data: { outcome: 'unknown', label: 'harbour' },
  });
});

test('a retry of a call whose node is busy did nothing, says so, and succeeds later', async () => {
  const backend = memoryBackend({ clock: virtualClock() });
  const { nodes, harbour, caller } = await fleet(backend);
  const [one, two] = [await caller(0), await caller(1)];
  const asks = await one.result('tools/call', call);
  const busy = createHttpServer((incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(503).end());
  });
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void busy.close().closeAllConnections());
  const key = `n:${nodes[0]?.state.nodes?.node}`;
  const own = await backend.keyed.get(key);
  const { port } = busy.address() as AddressInfo; // it listens on a port
  const record = purposeSealer(keys, 'record').seal(`http://127.0.0.1:${port}#${Date.now()}`, key.slice(2));
  await backend.keyed.put(key, record, { ttlMs: 60_000 });
  expect(await two.error('tools/call', answered(asks))).toEqual({
    code: -32603,
    message: 'The server harbour waits on a node that is busy: nothing was done, so send the same request again',
    data: { outcome: 'not-sent', label: 'harbour', retryAfterMs: 1_000 },
  });
  await backend.keyed.put(key, own?.value ?? '', { ttlMs: 60_000 });
  expect(textOf(await two.result('tools/call', answered(asks)))).toBe('moored Beagle');
  expect(harbour.runs).toBe(1);
});

test('a node that drains keeps its waiting calls for answers through other nodes, and ends when the last one is answered', async () => {
  const { harbour, nodes, caller } = await fleet();
  const [one, two] = [await caller(0), await caller(1)];
  const asks = await one.result('tools/call', call);
  const drained = nodes[0]?.close(600_000);
  expect(textOf(await two.result('tools/call', answered(asks)))).toBe('moored Beagle');
  await drained;
  expect([harbour.runs, harbour.aborted]).toEqual([1, false]);
});

test('a node that drains sends the whole of its last answer to another node before it closes', async () => {
  const { nodes, caller } = await fleet();
  const [one, two] = [await caller(0), await caller(1)];
  const asks = await one.result('tools/call', call);
  const drained = nodes[0]?.close(600_000);
  expect(textOf(await two.result('tools/call', answered(asks, 'large')))).toBe(`moored ${LARGE}`);
  await drained;
});

test('a node that stops tells the others: a retry of a call that waited there is over at once, and not unknown', async () => {
  const { harbour, nodes, caller } = await fleet();
  const [one, two] = [await caller(0), await caller(1)];
  const asks = await one.result('tools/call', call);
  await nodes[0]?.close();
  expect(harbour.aborted).toBe(true);
  expect(await two.error('tools/call', answered(asks))).toMatchObject({
    code: -32602,
    message: 'requestState cannot be continued: its node has stopped, and ended the call',
  });
});

test('a state of one principal does nothing for another, on any node', async () => {
  const { harbour, caller } = await fleet();
  const auth = (subject: string): RawOptions => ({ auth: { subject, scopes: [] } });
  const asks = await (await caller(0, auth('ada'))).result('tools/call', call);
  for (const node of [0, 1]) {
    const error = await (await caller(node, auth('eve'))).error('tools/call', answered(asks));
    expect(error).toMatchObject({
      code: -32602,
      message: 'requestState was not issued by this gateway for this request',
    });
  }
  expect(textOf(await (await caller(1, auth('ada'))).result('tools/call', answered(asks)))).toBe('moored Beagle');
  expect(harbour.runs).toBe(1);
});

test('a caller that hangs up on another node cancels the call upstream', async () => {
  const { harbour, caller } = await fleet();
  const [one, two] = [await caller(0), await caller(1)];
  const asks = await one.result('tools/call', call);
  const retried = two.start('tools/call', answered(asks, 'slow'), { meta: { progressToken: 'p' } });
  retried.response.catch(() => undefined);
  await soon(() => expect(harbour.runs).toBe(1));
  await new Promise((resolve) => setImmediate(resolve));
  retried.abort();
  await soon(() => expect(harbour.aborted).toBe(true));
});

test('an envelope is opened once, by the node that it is for, and for half a minute', async () => {
  const clock = virtualClock();
  const [one, two] = ['one', 'two'].map((id) => new PeerEnvelopes(id, keys, clock)) as [PeerEnvelopes, PeerEnvelopes]; // as many
  const foreign = new PeerEnvelopes('two', [randomBytes(32)], clock);
  const { sealed, nonce } = one.seal('two', 'resume', { a: 1 });
  expect([one.open(sealed), foreign.open(sealed), two.open(`${sealed}A`)]).toEqual([undefined, undefined, undefined]);
  expect(two.open(sealed)).toEqual({ kind: 'resume', from: 'one', nonce, body: { a: 1 } });
  expect(two.open(sealed)).toBeUndefined();
  const late = one.seal('two', 'resume', {}).sealed;
  await clock.advance(30_001);
  expect(two.open(late)).toBeUndefined();
});

test('no event of an answer can be left out, doubled, or taken from another answer', () => {
  const envelopes = new PeerEnvelopes('one', keys, virtualClock());
  const sealed = envelopes.sealEvent({ progress: 1 }, 'n', 1);
  expect(envelopes.openEvent(sealed, 'n', 1)).toEqual({ progress: 1 });
  expect([envelopes.openEvent(sealed, 'n', 0), envelopes.openEvent(sealed, 'm', 1)]).toEqual([undefined, undefined]);
});

test('the listener of a node answers nothing but sealed messages', async () => {
  const envelopes = new PeerEnvelopes('one', keys, systemClock);
  const handled: string[] = [];
  const listener = new PeerListener(
    envelopes,
    ({ kind }, answer) => {
      handled.push(kind);
      answer.end();
    },
    systemClock,
  );
  const port = await listener.listen({ port: 0 });
  onTestFinished(() => listener.close());
  const post = (path: string, body: string, method = 'POST'): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request({ port, path, method }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject);
      sent.end(body);
    });
  const { sealed } = new PeerEnvelopes('two', keys, systemClock).seal('one', 'hangUp', {});
  expect(await post('/peer', 'x')).toBe(404);
  expect(await post('/peer', '', 'GET')).toBe(404);
  expect(await post('/mcp', sealed)).toBe(404);
  expect(await post('/peer', sealed)).toBe(200);
  expect(await post('/peer', sealed)).toBe(404);
  expect(handled).toEqual(['hangUp']);
});

test('messages that arrive slowly keep no node from the others: they make room, and are dropped in time', async () => {
  const clock = virtualClock();
  const envelopes = new PeerEnvelopes('one', keys, clock);
  const listener = new PeerListener(envelopes, (_, answer) => answer.end(), clock);
  const port = await listener.listen({ port: 0 });
  onTestFinished(() => listener.close());
  const slow = { closed: 0 };
  const begin = (): Promise<void> =>
    new Promise((resolve) => {
      const sent = request({ port, path: '/peer', method: 'POST', headers: { 'content-length': 10 } });
      sent.on('error', () => undefined).once('close', () => slow.closed++);
      sent.write('x', () => resolve());
    });
  await Promise.all(Array.from({ length: 300 }, begin));
  await soon(() => expect(slow.closed).toBe(300 - 256));
  const { sealed } = new PeerEnvelopes('two', keys, clock).seal('one', 'hangUp', {});
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ port, path: '/peer', method: 'POST' }, (response) => resolve(response.resume().statusCode));
    sent.once('error', reject).end(sealed);
  });
  expect(status).toBe(200);
  await clock.advance(10_000);
  await soon(() => expect(slow.closed).toBe(300));
});

test('a node is found while it renews its record, for a minute while the store is away, and not when it is dead', async () => {
  const clock = virtualClock();
  const backend = memoryBackend({ clock });
  let away = false;
  const keyed: Backend['keyed'] = {
    ...backend.keyed,
    get: (key) => (away ? Promise.reject(new Error('away')) : backend.keyed.get(key)),
    put: (...of) => (away ? Promise.reject(new Error('away')) : backend.keyed.put(...of)),
    delete: (...of) => backend.keyed.delete(...of),
  };
  const id = makeNodeId();
  const one = new NodeDirectory({ id, store: { keyed }, keys, clock });
  const two = new NodeDirectory({ id: makeNodeId(), store: { keyed }, keys, clock });
  const foreign = new NodeDirectory({ id: 'x', store: { keyed }, keys: [randomBytes(32)], clock });
  const find = async (directory: NodeDirectory): Promise<string | undefined> => {
    const found = directory.find(id);
    await clock.advance(6_000);
    return (await found)?.address;
  };
  await one.start('http://a');
  await clock.advance(60_000);
  expect([await find(two), await find(foreign)]).toEqual(['http://a', undefined]);
  away = true;
  await clock.advance(30_000);
  expect(await find(two)).toBe('http://a');
  await clock.advance(30_000);
  expect(await find(two)).toBeUndefined();
  away = false;
  await clock.advance(5_000);
  expect(await find(two)).toBe('http://a');
  await one.close();
  expect(await find(two)).toBeUndefined();
});

test('a node of an earlier version, which does not say what time it has, is found', async () => {
  const store = memoryBackend();
  const directory = new NodeDirectory({ id: makeNodeId(), store, keys, clock: virtualClock() });
  await store.keyed.put('n:old', purposeSealer(keys, 'record').seal('http://a', 'old'), { ttlMs: 60_000 });
  expect(await directory.find('old')).toEqual({ address: 'http://a', aheadMs: 0 });
});
