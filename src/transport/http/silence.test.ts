/** Keep-alive of calls that take long without a message, so that proxies do not close their connections. */
import { describe, expect, test } from 'vitest';
import { type FakeReply, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { call, opened, request, type Sent, stateless } from '../../../test/support/http-messages.ts';
import { everyRevision, hello, STATELESS, withHandshake } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError } from '../../errors.ts';
import { createServer, type Server, tool, use } from '../../index.ts';
import type { Layer } from '../../peer/exchange.ts';
import { HttpService } from './service.ts';

interface Quiet {
  readonly clock: HeldClock;
  readonly service: HttpService;
  readonly server: Server;
  readonly aborted: unknown[];
  /** Ends every call of `think`, with a result or with the given error. */
  go(thrown?: Error): void;
}

function quiet(...layers: readonly Layer[]): Quiet {
  const clock = new HeldClock();
  const waiting: ((thrown?: Error) => void)[] = [];
  const aborted: unknown[] = [];
  const think = tool({
    name: 'think',
    run: async (_input, ctx) => {
      await new Promise<void>((resolve, reject) =>
        waiting.push((thrown) => (thrown === undefined ? resolve() : reject(thrown))),
      );
      aborted.push(ctx.signal.aborted);
      return 'thought';
    },
  });
  const plain = createServer({ name: 'quiet', version: '1', parts: [think], onError: () => undefined });
  const server = use(plain, ...layers);
  const go = (thrown?: Error): void => {
    for (const settle of waiting.splice(0)) settle(thrown);
  };
  return { clock, server, aborted, go, service: new HttpService(server, { clock }) };
}

/** A call as a client of this revision would send it. */
async function thinking(service: HttpService, revision: string, accept?: string): Promise<Sent> {
  const more = accept === undefined ? {} : { accept };
  if (revision === STATELESS) return stateless('tools/call', { name: 'think' }, more);
  return { headers: { ...(await opened(service, revision)), ...more }, body: call('it', 'think') };
}

const comments = ({ sink }: FakeReply): number => sink?.text.split('\n\n').filter((block) => block === ':').length ?? 0;

describe.each(everyRevision)('in %s, a call that says nothing', (revision) => {
  test('a silent call becomes a stream with keep-alive comments, and its response is an event', async () => {
    verifies('HTTP-114');
    const { clock, service, go } = quiet();
    const { reply, done } = started(service, await thinking(service, revision));
    await clock.pass(14_999);
    expect(reply.status).toBe(0);
    await clock.pass(1);
    expect([reply.status, reply.headers['Content-Type'], comments(reply)]).toEqual([200, 'text/event-stream', 1]);
    await clock.pass(30_000);
    expect(comments(reply)).toBe(3);
    go();
    await done;
    expect(reply.sink?.messages).toMatchObject([{ id: 'it', result: { content: [{ text: 'thought' }] } }]);
    expect(reply.sink?.ended).toBe(true);
    await clock.pass(30_000);
    expect(comments(reply)).toBe(3);
  });

  test('a silent call gets a JSON response however long it takes, if keepAliveMs is 0', async () => {
    const { clock, server, go } = quiet();
    const service = new HttpService(server, { clock, keepAliveMs: 0 });
    const { reply, done } = started(service, await thinking(service, revision));
    const waits = clock.waits.length;
    await clock.pass(3_600_000);
    expect([reply.status, clock.waits.slice(waits).filter((ms) => ms < 1_000)]).toEqual([0, []]);
    go();
    await done;
    expect([reply.status, reply.headers['Content-Type']]).toEqual([200, 'application/json']);
  });

  test('a silent call that ends in time gets a JSON response', async () => {
    const { clock, service, go } = quiet();
    const { reply, done } = started(service, await thinking(service, revision));
    await clock.pass(14_999);
    go();
    await done;
    await clock.pass(30_000);
    expect(reply.headers['Content-Type']).toBe('application/json');
  });

  test('a silent call of a client that accepts only JSON stays without keep-alive', async () => {
    const { clock, service, go } = quiet();
    const { reply, done } = started(service, await thinking(service, revision, 'application/json'));
    await clock.pass(60_000);
    expect(reply.status).toBe(0);
    go();
    await done;
    expect(reply.json['result']).toMatchObject({ content: [{ text: 'thought' }] });
  });

  test('a silent call that fails gets its error as an event', async () => {
    const { clock, service, go } = quiet();
    const { reply, done } = started(service, await thinking(service, revision));
    await clock.pass(15_000);
    go(new RpcError(-32601, 'gone meanwhile'));
    await done;
    expect(reply.status).toBe(200);
    expect(reply.sink?.messages).toMatchObject([{ id: 'it', error: { code: -32601 } }]);
    expect(reply.sink?.ended).toBe(true);
  });

  test('a request that is rejected at once does not become a stream', async () => {
    const { service } = quiet();
    const { headers } = await thinking(service, revision);
    const sent = revision === STATELESS ? stateless('no/such') : { headers, body: request('it', 'no/such') };
    const reply = await knock(service, sent);
    expect([reply.status, reply.json.error?.code]).toEqual([revision === STATELESS ? 404 : 200, -32601]);
  });
});

test('without sessions, a disconnect from a keep-alive stream cancels the request', async () => {
  const { clock, service, go, aborted } = quiet();
  const { reply, done } = started(service, await thinking(service, STATELESS));
  await clock.pass(15_000);
  reply.hangUp();
  go();
  await done;
  expect(aborted).toEqual([true]);
});

test('a client that disconnected earlier is noticed when the keep-alive stream opens', async () => {
  const { clock, service, go, aborted } = quiet();
  const { reply, done } = started(service, await thinking(service, STATELESS));
  reply.hangUp();
  await clock.pass(15_000);
  go();
  await done;
  expect(aborted).toEqual([true]);
});

test('a keep-alive stream can be resumed', async () => {
  const { clock, service, go } = quiet();
  const sent = await thinking(service, '2025-11-25');
  const { reply, done } = started(service, sent);
  await clock.pass(15_000);
  reply.hangUp();
  go();
  await done;
  const headers = { ...sent.headers, 'last-event-id': reply.sink?.lastId };
  const back = await knock(service, { method: 'GET', headers });
  expect(back.sink?.messages).toMatchObject([{ id: 'it', result: { content: [{ text: 'thought' }] } }]);
});

test('a batch becomes a keep-alive stream, with the responses that were ready before', async () => {
  const { clock, service, go } = quiet();
  const headers = await opened(service, '2025-03-26');
  const { reply, done } = started(service, { headers, body: [request(1, 'ping'), call(2, 'think')] });
  await clock.pass(15_000);
  expect(reply.sink?.messages).toMatchObject([{ id: 1, result: {} }]);
  go();
  await done;
  expect(reply.sink?.messages).toMatchObject([{ id: 1 }, { id: 2 }]);
  expect(reply.sink?.ended).toBe(true);
});

test.each(withHandshake)('a handshake of %s never becomes a stream, however long it takes', async (revision) => {
  const meeting: (() => void)[] = [];
  const slow: Layer = (next) => async (message, link) => {
    if ('method' in message && message.method === 'initialize') {
      await new Promise<void>((resolve) => meeting.push(resolve));
    }
    return next(message, link);
  };
  const { clock, service } = quiet(slow);
  const good = started(service, { body: request(1, 'initialize', hello(revision)) });
  const bad = started(service, { body: request(1, 'initialize', {}) });
  await clock.pass(60_000);
  expect([good.reply.status, bad.reply.status]).toEqual([0, 0]);
  for (const meet of meeting) meet();
  await Promise.all([good.done, bad.done]);
  expect([good.reply.status, bad.reply.status]).toEqual([200, 400]);
  expect([good, bad].map(({ reply }) => 'Mcp-Session-Id' in reply.headers)).toEqual([true, false]);
});
