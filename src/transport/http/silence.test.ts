/** Calls that take long and say nothing: those in between must not take them for dead. */
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
  /** Ends every call of `think`; with what it throws, or with an answer. */
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

/** A call as a client of this revision sends it. */
async function thinking(service: HttpService, revision: string, accept?: string): Promise<Sent> {
  const more = accept === undefined ? {} : { accept };
  if (revision === STATELESS) return stateless('tools/call', { name: 'think' }, more);
  return { headers: { ...(await opened(service, revision)), ...more }, body: call('it', 'think') };
}

const comments = ({ sink }: FakeReply): number => sink?.text.split('\n\n').filter((block) => block === ':').length ?? 0;

describe.each(everyRevision)('in %s, a call that says nothing', (revision) => {
  test('is kept alive, and its answer is an event', async () => {
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

  test('is JSON all the same when it ends in time', async () => {
    const { clock, service, go } = quiet();
    const { reply, done } = started(service, await thinking(service, revision));
    await clock.pass(14_999);
    go();
    await done;
    await clock.pass(30_000);
    expect(reply.headers['Content-Type']).toBe('application/json');
  });

  test('waits in silence for a client that reads JSON alone', async () => {
    const { clock, service, go } = quiet();
    const { reply, done } = started(service, await thinking(service, revision, 'application/json'));
    await clock.pass(60_000);
    expect(reply.status).toBe(0);
    go();
    await done;
    expect(reply.json['result']).toMatchObject({ content: [{ text: 'thought' }] });
  });

  test('may still fail: the error is an answer like any other', async () => {
    const { clock, service, go } = quiet();
    const { reply, done } = started(service, await thinking(service, revision));
    await clock.pass(15_000);
    go(new RpcError(-32601, 'gone meanwhile'));
    await done;
    expect(reply.status).toBe(200);
    expect(reply.sink?.messages).toMatchObject([{ id: 'it', error: { code: -32601 } }]);
    expect(reply.sink?.ended).toBe(true);
  });

  test('lets nothing that is refused at once become a stream', async () => {
    const { service } = quiet();
    const { headers } = await thinking(service, revision);
    const sent = revision === STATELESS ? stateless('no/such') : { headers, body: request('it', 'no/such') };
    const reply = await knock(service, sent);
    expect([reply.status, reply.json.error?.code]).toEqual([revision === STATELESS ? 404 : 200, -32601]);
  });
});

test('hanging up on a stream that opened in silence calls a request off, where there are no sessions', async () => {
  const { clock, service, go, aborted } = quiet();
  const { reply, done } = started(service, await thinking(service, STATELESS));
  await clock.pass(15_000);
  reply.hangUp();
  go();
  await done;
  expect(aborted).toEqual([true]);
});

test('a client that hung up before the stream opened is noticed then', async () => {
  const { clock, service, go, aborted } = quiet();
  const { reply, done } = started(service, await thinking(service, STATELESS));
  reply.hangUp();
  await clock.pass(15_000);
  go();
  await done;
  expect(aborted).toEqual([true]);
});

test('a stream that opened in silence is taken up again', async () => {
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

test('an array of calls is kept alive, and brings what was answered before', async () => {
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

test.each(withHandshake)('the handshake of %s waits for its status, however long', async (revision) => {
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
