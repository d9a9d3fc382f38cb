import { describe, expect, test, vi } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { type FakeReply, type FakeSink, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { call, errorOf, note, opened, progressing, request } from '../../../test/support/http-messages.ts';
import { hello, withHandshake } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { tool } from '../../index.ts';
import type { HttpOptions } from './http-settings.ts';
import { HttpService } from './service.ts';
import { memorySessionStore } from './session-store.ts';

const resumable = withHandshake.filter((id) => id !== '2024-11-05');
const later = tool({ name: 'more', run: () => '' });

function serve(options: HttpOptions = {}): ReturnType<typeof port> & { service: HttpService } {
  const made = port();
  return { ...made, service: new HttpService(made.server, options) };
}

/** A stream that stays open. */
async function listening(service: HttpService, headers: Record<string, string | undefined>): Promise<Open> {
  const { reply, done } = started(service, { method: 'GET', headers });
  await done;
  return { reply, sink: reply.sink as FakeSink }; // a stream was opened, or the test fails where it is looked at
}
interface Open {
  readonly reply: FakeReply;
  readonly sink: FakeSink;
}

const statusOf = async (service: HttpService, headers: Record<string, string | undefined>): Promise<number> =>
  (await knock(service, { headers, body: request(1, 'ping') })).status;

const methods = ({ messages }: FakeSink): unknown[] =>
  messages.map(({ method, id }) => method ?? `answer ${String(id)}`);

describe.each(withHandshake)('a session of %s', (revision) => {
  test('a session id consists of 192 cryptographically random bits', async () => {
    verifies('SEC-026');
    const drawn: string[] = [];
    const draw = crypto.getRandomValues.bind(crypto);
    const spy = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
      const bytes = draw(array);
      if (bytes instanceof Uint8Array) drawn.push(Buffer.from(bytes).toString('base64url'));
      return bytes;
    });
    const { service } = serve();
    const ids: string[] = [];
    for (let n = 0; n < 30; n++) {
      const met = await knock(service, { body: request(1, 'initialize', hello(revision)) });
      ids.push(met.headers['Mcp-Session-Id'] ?? '');
    }
    spy.mockRestore();
    expect(ids.map((id) => [id.length, drawn.includes(id)])).toEqual(ids.map(() => [32, true]));
    // No position is constant, counts or encodes the time: thirty random draws of 64 characters have more than three values.
    for (let at = 0; at < 32; at++) expect(new Set(ids.map((id) => id[at])).size).toBeGreaterThan(3);
  });

  test('a session is opened by the handshake, whose response has its id', async () => {
    verifies('HTTP-014', 'HTTP-056', 'HTTP-057', 'HTTP-058');
    const { service } = serve();
    const met = await knock(service, { body: request(1, 'initialize', hello(revision)) });
    expect(met.json['result']).toMatchObject({ protocolVersion: revision });
    const id = met.headers['Mcp-Session-Id'] ?? '';
    expect(id).toMatch(/^[\x21-\x7e]{32}$/);
    const again = await knock(service, { body: request(1, 'initialize', hello(revision)) });
    expect(again.headers['Mcp-Session-Id']).not.toBe(id);
    const ready = await knock(service, { headers: { 'mcp-session-id': id }, body: note('notifications/initialized') });
    expect([ready.status, ready.body]).toEqual([202, undefined]);
    const listed = await knock(service, { headers: { 'mcp-session-id': id }, body: request(2, 'tools/list') });
    expect(listed.status).toBe(200);
  });

  test('DELETE ends a session', async () => {
    verifies('HTTP-062', 'HTTP-063');
    const { service } = serve();
    const headers = await opened(service, revision);
    const { sink } = await listening(service, headers);
    expect((await knock(service, { method: 'DELETE', headers })).status).toBe(204);
    expect(sink.ended).toBe(true);
    for (const method of ['GET', 'DELETE']) expect((await knock(service, { method, headers })).status).toBe(404);
    expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(404);
    expect((await knock(service, { headers, body: note('x') })).status).toBe(404);
  });

  test('the stream of a call has the messages of the call, and its response last', async () => {
    verifies('HTTP-019', 'HTTP-020', 'HTTP-021', 'HTTP-026', 'HTTP-043', 'HTTP-047', 'HTTP-048');
    const { service } = serve();
    const headers = await opened(service, revision);
    const standing = await listening(service, headers);
    const reply = await knock(service, { headers, body: progressing(1, 'count', { to: 2 }) });
    expect(methods(reply.sink as FakeSink)).toEqual(['notifications/progress', 'notifications/progress', 'answer 1']);
    expect(reply.sink?.ended).toBe(true);
    expect(standing.sink.messages).toEqual([]);
  });

  test('change notifications are sent once, on the GET stream', async () => {
    verifies('HTTP-001', 'HTTP-041', 'HTTP-042', 'HTTP-044', 'HTTP-047', 'HTTP-048');
    const { service, server, go } = serve();
    const headers = await opened(service, revision);
    const waiting = started(service, { headers, body: progressing(1, 'wait') });
    const { reply, sink } = await listening(service, headers);
    expect(reply.headers['Content-Type']).toBe('text/event-stream');
    server.add(later);
    await settled();
    expect(methods(sink)).toEqual(['notifications/tools/list_changed']);
    go();
    await waiting.done;
    expect(methods(sink)).toHaveLength(1);
    expect(methods(waiting.reply.sink as FakeSink)).not.toContain('notifications/tools/list_changed');
  });

  test('change notifications are held until the GET stream opens', async () => {
    const { service, server } = serve();
    const headers = await opened(service, revision);
    server.add(later);
    await settled();
    const { sink } = await listening(service, headers);
    expect(methods(sink)).toEqual(['notifications/tools/list_changed']);
  });

  test('equal change notifications are held once while the client is not connected', async () => {
    const { service, server } = serve();
    const headers = await opened(service, revision);
    for (let n = 0; n < 20; n++) {
      server.add(tool({ name: `t${n}`, run: () => '' }));
      await settled();
    }
    const { sink } = await listening(service, headers);
    expect(methods(sink)).toEqual(['notifications/tools/list_changed']);
  });

  test('a second GET stream of a session replaces the first', async () => {
    verifies('HTTP-045', 'HTTP-047', 'HTTP-048');
    const { service, server } = serve();
    const headers = await opened(service, revision);
    const [first, second] = [await listening(service, headers), await listening(service, headers)];
    expect([first.sink.ended, second.sink.ended]).toEqual([true, false]);
    server.add(later);
    await settled();
    expect([methods(first.sink), methods(second.sink)]).toEqual([[], ['notifications/tools/list_changed']]);
  });

  test('a disconnect in a session does not cancel the call', async () => {
    verifies('HTTP-034');
    const { service, go, aborted } = serve();
    const headers = await opened(service, revision);
    const { reply, done } = started(service, { headers, body: progressing(1, 'wait') });
    await settled();
    reply.hangUp();
    go();
    await done;
    expect(aborted).toEqual([]);
  });

  test('a session can cancel its own requests, and none of other sessions', async () => {
    const { service, go, aborted } = serve();
    const [mine, other] = [await opened(service, revision), await opened(service, revision)];
    const { reply, done } = started(service, { headers: mine, body: call(1, 'wait') });
    await settled();
    const cancel = note('notifications/cancelled', { requestId: 1, reason: 'enough' });
    expect((await knock(service, { headers: other, body: cancel })).status).toBe(202);
    expect(aborted).toEqual([]);
    expect((await knock(service, { headers: mine, body: cancel })).status).toBe(202);
    expect(aborted).toEqual([expect.stringContaining('enough')]);
    // No further message is sent for the call, and its POST has ended.
    expect([reply.sink?.text, reply.sink?.ended]).toEqual(['', true]);
    go();
    await done;
  });

  test('a session cannot reuse the id of an open request', async () => {
    const { service, go } = serve();
    const headers = await opened(service, revision);
    const { done } = started(service, { headers, body: call(1, 'wait') });
    await settled();
    expect((await knock(service, { headers, body: request(1, 'ping') })).json.error?.code).toBe(-32600);
    go();
    await done;
    expect((await knock(service, { headers, body: request(1, 'ping') })).json).not.toHaveProperty('error');
  });
});

/** The code for questions is loaded with the first one, which takes a while. */
const asked = (reply: FakeReply): Promise<void> =>
  soon(() => expect(reply.sink?.messages[0]).toMatchObject({ method: 'elicitation/create' }));

describe.each(withHandshake.filter((id) => id >= '2025-06-18'))('a question in %s', (revision) => {
  test('a question is sent on the stream of its call, and answered by a POST', async () => {
    const { service } = serve();
    const headers = await opened(service, revision);
    const { reply, done } = started(service, { headers, body: call(1, 'sure') });
    await asked(reply);
    const [question] = reply.sink?.messages ?? [];
    expect(question).toMatchObject({ method: 'elicitation/create' });
    const other = await opened(service, revision);
    const body = { jsonrpc: '2.0', id: question?.['id'], result: { action: 'accept', content: { confirm: true } } };
    expect((await knock(service, { headers: other, body })).status).toBe(202);
    await settled();
    expect(reply.sink?.ended).toBe(false);
    expect((await knock(service, { headers, body })).status).toBe(202);
    await done;
    expect(reply.sink?.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'yes' }] } });
    expect((await knock(service, { headers, body })).status).toBe(202);
  });

  test('a question is cancelled with its call', async () => {
    const { service } = serve();
    const headers = await opened(service, revision);
    const { reply, done } = started(service, { headers, body: call(1, 'sure') });
    await asked(reply);
    await knock(service, { headers, body: note('notifications/cancelled', { requestId: 1 }) });
    await done;
    const [question, taken] = reply.sink?.messages ?? [];
    expect(taken).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question?.['id'] } });
  });

  test('a client that accepts no streams cannot be asked a question', async () => {
    const { service } = serve();
    const headers = { ...(await opened(service, revision)), accept: 'application/json' };
    const reply = await knock(service, { headers, body: call(1, 'sure') });
    expect(reply.json['result']).toMatchObject({ isError: true });
  });
});

describe('the version header', () => {
  test.each([
    ['2025-11-25', undefined, 200],
    ['2025-11-25', '2025-11-25', 200],
    ['2025-11-25', '2025-06-18', 200],
    ['2025-11-25', '1999-01-01', 400],
    ['2025-11-25', '2025-11-25, 2025-11-25', 400],
    ['2025-06-18', 'x', 400],
    ['2025-03-26', 'x', 200],
    ['2024-11-05', 'x', 200],
  ])('in a session of %s, %s gets %i', async (revision, version, status) => {
    verifies('HTTP-069', 'HTTP-070');
    const { service } = serve();
    const headers = { ...(await opened(service, revision)), 'mcp-protocol-version': version };
    expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(status);
    expect((await knock(service, { headers, body: note('x') })).status).toBe(status === 200 ? 202 : status);
    expect((await knock(service, { method: 'GET', headers })).status).toBe(status);
    const ended = await knock(service, { method: 'DELETE', headers });
    expect(ended.status).toBe(status === 200 ? 204 : status);
  });

  test('a version header of a revision without sessions is rejected with the reason', async () => {
    const { service } = serve();
    const headers = { ...(await opened(service, '2025-11-25')), 'mcp-protocol-version': '2026-07-28' };
    expect(errorOf(await knock(service, { headers, body: request(1, 'ping') }))).toEqual([400, -32602]);
  });
});

describe('an array of messages', () => {
  const revision = '2025-03-26';
  const good = [
    note('x'),
    request(1, 'ping'),
    call(2, 'echo', { message: 'a' }),
    { jsonrpc: '2.0', id: 9, result: {} },
  ];

  test('a batch is answered by an array', async () => {
    verifies('HTTP-017');
    const { service } = serve();
    const headers = await opened(service, revision);
    const reply = await knock(service, { headers, body: good });
    expect(reply.headers['Content-Type']).toBe('application/json');
    expect(reply.json).toMatchObject([{ id: 1 }, { id: 2, result: { content: [{ text: 'a' }] } }]);
  });

  test('a batch without requests gets 202', async () => {
    verifies('HTTP-014');
    const { service } = serve();
    const headers = await opened(service, revision);
    expect((await knock(service, { headers, body: [note('x'), note('y')] })).status).toBe(202);
  });

  test('a batch is answered on a stream once a notification is sent', async () => {
    verifies('HTTP-019', 'HTTP-022');
    const { service } = serve();
    const headers = await opened(service, revision);
    const reply = await knock(service, { headers, body: [request(1, 'ping'), progressing(2, 'count', { to: 1 })] });
    expect(methods(reply.sink as FakeSink).toSorted()).toEqual(['answer 1', 'answer 2', 'notifications/progress']);
    expect(reply.sink?.ended).toBe(true);
  });

  test('each malformed message of a batch gets its own error', async () => {
    const { service } = serve();
    const headers = await opened(service, revision);
    const body = [
      7,
      { jsonrpc: '2.0', id: 3, method: 4 },
      request(4, 'initialize', hello(revision)),
      request(5, 'ping'),
    ];
    const reply = await knock(service, { headers, body });
    const errors = (reply.json as unknown as { id?: unknown; error?: { code: number } }[]).map(({ id, error }) => [
      id,
      error?.code,
    ]);
    expect(errors).toEqual([
      [undefined, -32600],
      [3, -32600],
      [4, -32600],
      [5, undefined],
    ]);
  });

  test.each([
    [0, 400],
    [1, 202],
    [50, 202],
    [51, 400],
  ])('a batch of %i messages gets %i', async (length, status) => {
    const { service } = serve();
    const headers = await opened(service, revision);
    expect((await knock(service, { headers, body: Array.from({ length }, () => note('x')) })).status).toBe(status);
  });

  test.each(withHandshake.filter((id) => id !== revision))('a batch is rejected in %s', async (other) => {
    const { service } = serve();
    const headers = await opened(service, other);
    expect(errorOf(await knock(service, { headers, body: good }))).toEqual([400, -32600]);
  });
});

describe.each(resumable)('a stream of %s that broke off', (revision) => {
  test('a broken stream can be resumed at every event, without lost or repeated events', async () => {
    verifies('HTTP-049', 'HTTP-050', 'HTTP-051', 'HTTP-053', 'HTTP-054');
    const { service } = serve();
    const headers = await opened(service, revision);
    await knock(service, { headers, body: progressing(8, 'count', { to: 5 }) });
    const reply = await knock(service, { headers, body: progressing(1, 'count', { to: 5 }) });
    const sent = (reply.sink?.events ?? []).filter(({ id }) => id !== undefined);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
    for (const [at, { id }] of sent.entries()) {
      const { sink } = await listening(service, { ...headers, 'last-event-id': id });
      expect(sink.events.filter((event) => event.id !== undefined)).toEqual(sent.slice(at + 1));
      expect(sink.ended).toBe(true);
    }
  });

  test('a resumed stream has the response of a call that was still running', async () => {
    verifies('HTTP-044', 'HTTP-053');
    const { service, go } = serve();
    const headers = await opened(service, revision);
    const { reply, done } = started(service, { headers, body: progressing(1, 'wait') });
    await settled();
    const last = reply.sink?.lastId;
    reply.hangUp();
    const { sink } = await listening(service, { ...headers, 'last-event-id': last });
    expect(sink.messages).toEqual([]);
    go();
    await done;
    expect(methods(sink)).toEqual(['notifications/progress', 'answer 1']);
    expect(sink.ended).toBe(true);
  });

  test('another session cannot resume a stream', async () => {
    verifies('HTTP-054');
    const { service } = serve();
    const [mine, other] = [await opened(service, revision), await opened(service, revision)];
    const reply = await knock(service, { headers: mine, body: progressing(1, 'count', { to: 2 }) });
    const last = reply.sink?.events[0]?.id;
    expect((await knock(service, { method: 'GET', headers: { ...other, 'last-event-id': last } })).status).toBe(400);
  });

  test.each(['x', 'p.1', 'pAAAAAAAAAAAA.1', '__proto__', 'pAAAAAAAAAAAA.-1'])(
    'the event id %s cannot be resumed',
    async (id) => {
      const { service } = serve();
      const headers = { ...(await opened(service, revision)), 'last-event-id': id };
      const reply = await knock(service, { method: 'GET', headers });
      expect(reply.status).toBe(400);
      expect(reply.json.error?.message).toContain('Last-Event-ID');
    },
  );

  test('a resumed GET stream continues with the missed events', async () => {
    const { service, server } = serve();
    const headers = await opened(service, revision);
    const first = await listening(service, headers);
    server.add(later);
    await settled();
    first.reply.hangUp();
    server.remove('more');
    await settled();
    const second = await listening(service, { ...headers, 'last-event-id': first.sink.lastId });
    expect(methods(second.sink)).toEqual(['notifications/tools/list_changed']);
    server.add(later);
    await settled();
    expect(methods(second.sink)).toHaveLength(2);
  });

  test('a stream that was aborted because of a slow client can be resumed from the log', async () => {
    const { service, go } = serve();
    const headers = await opened(service, revision);
    const { reply, done } = started(service, { headers, body: progressing(1, 'wait') });
    await settled();
    const last = reply.sink?.lastId;
    if (reply.sink !== undefined) reply.sink.queued = 1024 * 1024 + 1;
    go();
    await done;
    expect(reply.sink?.wasCut).toBe(true);
    const { sink } = await listening(service, { ...headers, 'last-event-id': last });
    expect(methods(sink)).toEqual(['notifications/progress', 'answer 1']);
  });
});

describe('polling', () => {
  test('a stream begins with an empty event with an id, in revisions with polling', async () => {
    verifies('HTTP-028', 'HTTP-030');
    for (const revision of withHandshake) {
      const { service } = serve();
      const headers = await opened(service, revision);
      const posted = await knock(service, { headers, body: progressing(1, 'count', { to: 1 }) });
      const standing = await listening(service, headers);
      for (const sink of [posted.sink, standing.sink]) {
        const primed = { id: expect.stringMatching(/\.0$/), retry: '1000', data: '' };
        if (revision === '2025-11-25') expect(sink?.events[0]).toEqual(primed);
        else expect(sink?.text).not.toContain('retry');
      }
    }
  });

  test('a handler can release the connection, and the client gets the response later', async () => {
    verifies('HTTP-029', 'HTTP-030');
    const { service, go } = serve();
    const headers = await opened(service, '2025-11-25');
    const { reply, done } = started(service, { headers, body: call(1, 'later') });
    await settled();
    expect(reply.sink?.ended).toBe(true);
    expect(reply.sink?.events.at(-1)).toEqual({ retry: '200' });
    go();
    await done;
    const { sink } = await listening(service, { ...headers, 'last-event-id': reply.sink?.lastId });
    expect(sink.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'later' }] } }]);
  });

  test.each(withHandshake.filter((id) => id !== '2025-11-25'))(
    'a handler cannot release the connection in %s',
    async (revision) => {
      verifies('HTTP-025');
      const { service, go } = serve();
      const headers = await opened(service, revision);
      const { reply, done } = started(service, { headers, body: call(1, 'later') });
      await settled();
      go();
      await done;
      expect(reply.json['result']).toMatchObject({ content: [{ text: 'here' }] });
    },
  );
});

test('a closing server finishes its calls, including questions, and rejects new ones', async () => {
  const { service } = serve();
  const headers = await opened(service, '2025-11-25');
  const { reply, done } = started(service, { headers, body: call(1, 'sure') });
  await settled();
  const closing = service.close(10_000);
  expect((await knock(service, { headers, body: request(2, 'ping') })).status).toBe(503);
  expect((await knock(service, { headers, method: 'GET' })).status).toBe(503);
  const id = reply.sink?.messages[0]?.['id'];
  const body = { jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } };
  expect((await knock(service, { headers, body })).status).toBe(202);
  await done;
  await closing;
  expect(reply.sink?.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'yes' }] } });
});

describe('time and number', () => {
  test('an unused session ends after half an hour', async () => {
    verifies('SEC-027');
    const clock = new HeldClock();
    const { service } = serve({ clock });
    const headers = await opened(service, '2025-11-25');
    for (let n = 0; n < 3; n++) {
      await clock.pass(29 * 60_000);
      expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(200);
    }
    await clock.pass(30 * 60_000);
    expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(200);
    await clock.pass(30 * 60_000 + 1);
    expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(404);
  });

  test('a handshake fails if the store already has a session with the new id', async () => {
    const { service } = serve({ sessions: { ...memorySessionStore(), put: () => undefined } });
    const met = await knock(service, { body: request(1, 'initialize', hello('2025-11-25')) });
    expect([met.status, met.headers['Mcp-Session-Id']]).toEqual([503, undefined]);
  });

  test('a session ends after a day, also in a store that expires idle ones itself', async () => {
    const clock = new HeldClock();
    const { service } = serve({ clock, sessions: { ...memorySessionStore(), hasExpiry: true } });
    const headers = await opened(service, '2025-11-25');
    await clock.pass(24 * 60 * 60_000);
    expect(await statusOf(service, headers)).toBe(200);
    await clock.pass(1);
    expect(await statusOf(service, headers)).toBe(404);
  });

  test('a session with an open stream is in use, but ends after a day', async () => {
    verifies('HTTP-033');
    const clock = new HeldClock();
    const { service } = serve({ clock });
    const headers = await opened(service, '2025-11-25');
    const { sink } = await listening(service, headers);
    await clock.pass(23 * 60 * 60_000);
    expect(sink.ended).toBe(false);
    await clock.pass(62 * 60_000);
    expect(sink.ended).toBe(true);
    expect((await knock(service, { headers, body: request(1, 'ping') })).status).toBe(404);
  });

  test.each(withHandshake.filter((id) => id >= '2025-06-18'))(
    'a question keeps a session of %s in use while its client is connected, and not longer',
    async (revision) => {
      const clock = new HeldClock();
      const { service } = serve({ clock, maxCalls: 1 });
      const headers = await opened(service, revision);
      const { reply, done } = started(service, { headers, body: call(1, 'sure') });
      await settled();
      await clock.pass(60 * 60_000);
      expect(await statusOf(service, headers)).toBe(429);
      reply.hangUp();
      await clock.pass(32 * 60_000);
      await done;
      expect(await statusOf(service, headers)).toBe(404);
    },
  );

  test('the longest-idle session is evicted at the limit', async () => {
    const clock = new HeldClock();
    const { service } = serve({ clock, maxSessions: 2 });
    const open = async (): Promise<Record<string, string | undefined>> => {
      await clock.pass(2_000);
      return opened(service, '2025-11-25');
    };
    const alive = async (headers: Record<string, string | undefined>): Promise<number> =>
      (await knock(service, { headers, body: request(1, 'ping') })).status;
    const first = await open();
    const second = await open();
    await clock.pass(2_000);
    expect(await alive(first)).toBe(200);
    const third = await open();
    expect([await alive(first), await alive(second), await alive(third)]).toEqual([200, 404, 200]);
  });

  test('an ended session leaves no state behind', async () => {
    const clock = new HeldClock();
    const { service, server } = serve({ clock });
    const headers = await opened(service, '2025-11-25');
    const { sink } = await listening(service, headers);
    await knock(service, { method: 'DELETE', headers });
    const before = sink.text;
    server.add(later);
    await clock.pass(120_000);
    expect(sink.text).toBe(before);
    // The sweep has stopped.
    const waits = clock.waits.length;
    await clock.pass(600_000);
    expect(clock.waits).toHaveLength(waits);
  });

  test('the method shutdown, which no revision defines, ends the session', async () => {
    const { service } = serve();
    const headers = await opened(service, '2025-11-25');
    const reply = await knock(service, { headers, body: request(1, 'shutdown') });
    expect(reply.json).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    await settled();
    expect((await knock(service, { headers, body: request(2, 'ping') })).status).toBe(404);
  });
});
