/** Conversations with a session: headers, streams that are taken up again, questions, cancelling, the end. */
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  type Asked,
  event,
  FakeWeb,
  failed,
  json,
  OpenStream,
  result,
  sessions,
  status,
  stream,
  text,
} from '../../../test/support/fake-web.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Client, ConnectOptions } from '../../client/index.ts';
import { connect } from '../../connect/connect.ts';

const url = 'https://a.example/mcp';
const newest = '2025-11-25';

function opened(web: FakeWeb, options: ConnectOptions = {}): Promise<Client> {
  return connect(url, {
    fetch: web.fetch,
    clock: new HeldClock(),
    random: () => 0,
    onWarning: () => undefined,
    ...options,
  });
}

/** Answers POSTs of requests; everything else is 202, and there is no standing stream. */
const posts =
  (answer: Answer, get: Answer = () => status(405)): Answer =>
  (asked) =>
    asked.method === 'GET'
      ? get(asked)
      : asked.body['id'] === undefined || !('method' in asked.body)
        ? status(202)
        : answer(asked);

const said = (asked: Asked | undefined): unknown[] => [
  asked?.headers['mcp-session-id'],
  asked?.headers['mcp-protocol-version'],
];

describe('the opening', () => {
  test('the session and the version go along with everything after it', async () => {
    verifies('HTTP-060', 'HTTP-067', 'HTTP-068', 'HTTP-039', 'HTTP-040', 'HTTP-065', 'LIFE-005', 'HTTP-011');
    const web = new FakeWeb(
      sessions(
        newest,
        posts((asked) => json(result(asked, text('hi')))),
      ),
    );
    const client = await opened(web);
    await client.call('t');
    await client.close();
    expect(web.asked.map((asked) => [asked.body['method'] ?? asked.method, ...said(asked)])).toEqual([
      ['server/discover', undefined, '2026-07-28'],
      ['initialize', undefined, undefined],
      ['notifications/initialized', 'session-1', newest],
      ['GET', 'session-1', newest],
      ['tools/call', 'session-1', newest],
      ['DELETE', 'session-1', newest],
    ]);
    expect(web.with('GET')[0]?.headers['accept']).toBe('text/event-stream');
    expect(web.with('initialize')[0]?.headers).not.toHaveProperty('mcp-method');
  });

  test.each(['2025-03-26', '2024-11-05'])('%s has no header for the version', async (revision) => {
    const web = new FakeWeb(
      sessions(
        revision,
        posts((asked) => json(result(asked, text('hi')))),
      ),
    );
    await using client = await opened(web, { revisions: [revision] });
    await client.call('t');
    expect(said(web.with('tools/call')[0])).toEqual(['session-1', undefined]);
  });

  test('a server need not open a session, and then there is none to end', async () => {
    const web = new FakeWeb(
      sessions(
        newest,
        posts((asked) => json(result(asked, text('hi')))),
        '',
      ),
    );
    const client = await opened(web);
    await client.call('t');
    await client.close();
    expect(said(web.with('tools/call')[0])).toEqual([undefined, newest]);
    expect(web.with('DELETE')).toEqual([]);
  });

  test.each(['a b', 'ü', `x${'y'.repeat(1024)}`])('a session id that is none is not used: %j', async (id) => {
    const web = new FakeWeb(
      sessions(
        newest,
        posts((asked) => json(result(asked, text('hi')))),
        id,
      ),
    );
    await using client = await opened(web);
    await client.call('t');
    expect(said(web.with('tools/call')[0])[0]).toBeUndefined();
  });
});

describe('a stream that breaks off', () => {
  const primed = (asked: Asked): Response =>
    asked.body['method'] === 'tools/call' ? stream(`retry: 700\n${event('', 'e0')}`) : json(result(asked, {}));

  test('is taken up again from the last event, no sooner than the server said', async () => {
    verifies('HTTP-031', 'HTTP-032', 'HTTP-052');
    const clock = new HeldClock();
    const standing = new OpenStream();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(primed, (asked) => {
          const from = asked.headers['last-event-id'];
          if (from === undefined) return standing.response;
          const call = web.with('tools/call')[0];
          if (from === 'e0') return stream(event('', 'e1'));
          return stream(event(result(call as Asked, text('hi')), 'e2')); // it was made, or there would be no event
        }),
      ),
    );
    await using client = await opened(web, { clock });
    const call = client.call('t');
    await clock.pass(699);
    expect(web.with('GET')).toHaveLength(1);
    await clock.pass(1);
    await clock.pass(700);
    expect((await call).text).toBe('hi');
    expect(web.with('GET').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e0', 'e1']);
    expect(said(web.with('GET')[2])).toEqual(['session-1', newest]);
  });

  test('is hung up on when it stays open after the answer', async () => {
    const clock = new HeldClock();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(primed, (asked) => {
          const [call] = web.with('tools/call');
          if (asked.headers['last-event-id'] === undefined || call === undefined) return status(405);
          return new OpenStream(event(result(call, text('hi')), 'e1')).response;
        }),
      ),
    );
    await using client = await opened(web, { clock });
    const call = client.call('t');
    await clock.pass(700);
    expect((await call).text).toBe('hi');
    expect(web.with('GET')[1]?.signal.aborted).toBe(false);
    await clock.pass(1_000);
    expect(web.with('GET')[1]?.signal.aborted).toBe(true);
  });

  test('is not taken up again for a call that was called off in the meantime', async () => {
    const clock = new HeldClock();
    const web = new FakeWeb(sessions(newest, posts(primed)));
    await using client = await opened(web, { clock });
    const control = new AbortController();
    const call = client.call('t', {}, { signal: control.signal }).catch((error: unknown) => error);
    await settled();
    control.abort();
    expect(await call).toMatchObject({ code: 'MCP_CANCELLED' });
    await clock.pass(60_000);
    expect(web.with('GET')).toHaveLength(1);
  });

  test.each<[string, Answer]>([
    ['405', () => status(405)],
    ['401', () => status(401)],
    ['JSON', () => json({})],
    ['nothing', () => status(204)],
    ['a network that fails', () => Promise.reject(new TypeError('fetch failed'))],
  ])('leaves the outcome unknown when all there is to take up is %s', async (_, get) => {
    const clock = new HeldClock();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(primed, (asked) => (asked.headers['last-event-id'] === undefined ? status(405) : get(asked))),
      ),
    );
    await using client = await opened(web, { clock, timeouts: { callMs: 500_000 } });
    const call = client.call('t').catch((error: unknown) => error);
    await clock.pass(400_000);
    expect(await call).toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN', cause: { code: 'MCP_CLOSED' } });
  });

  test('is given up when it never gets any further', async () => {
    const clock = new HeldClock();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(primed, (asked) => (asked.headers['last-event-id'] === undefined ? status(405) : stream())),
      ),
    );
    await using client = await opened(web, { clock, timeouts: { callMs: 500_000 } });
    const call = client.call('t').catch((error: unknown) => error);
    await clock.pass(400_000);
    expect(await call).toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN', cause: { code: 'MCP_CLOSED' } });
    expect(web.with('GET')).toHaveLength(6);
  });

  test('retry: 0 does not make us run in circles', async () => {
    const clock = new HeldClock();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(
          () => stream(`retry: 0\n${event('', 'e0')}`),
          (asked) => (asked.headers['last-event-id'] === undefined ? status(405) : stream('retry: 0\n\n')),
        ),
      ),
    );
    await using client = await opened(web, { clock });
    const call = client.call('t').catch((error: unknown) => error);
    await clock.pass(49);
    expect(web.with('GET')).toHaveLength(1);
    await clock.pass(60_000);
    expect(web.with('GET')).toHaveLength(6);
    expect(await call).toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
  });

  test.each<[string, () => Response]>([
    ['no id', () => stream(event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }))],
    ['an id that no header can carry', () => stream(event('', 'ü'))],
    ['an id that was taken back', () => stream(event('', 'a'), 'id:\ndata:\n\n')],
  ])('is lost when it had %s', async (_, answer) => {
    const web = new FakeWeb(sessions(newest, posts(answer)));
    await using client = await opened(web);
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
    expect(web.with('GET')).toHaveLength(1);
  });

  test('is lost where the revision cannot take it up', async () => {
    const web = new FakeWeb(sessions('2024-11-05', posts(primed)));
    await using client = await opened(web, { revisions: ['2024-11-05'] });
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
  });

  test('brings every message once and in order, wherever it is cut', async () => {
    const count = 6;
    for (let cut = 0; cut <= count; cut++) {
      const clock = new HeldClock();
      const web = new FakeWeb(
        sessions(
          newest,
          posts(
            (asked) => replay(asked, 0, cut),
            (asked) => {
              const from = asked.headers['last-event-id'];
              const [call] = web.with('tools/call');
              return from === undefined || call === undefined ? status(405) : replay(call, Number(from) + 1, count + 1);
            },
          ),
        ),
      );
      const replay = (asked: Asked, from: number, to: number): Response => {
        const params = asked.body['params'] as { _meta: { progressToken: unknown } }; // as the client wrote it
        const { progressToken } = params._meta;
        const all = Array.from({ length: count }, (_, i) => ({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress: i + 1 },
        }));
        const messages = [...all, result(asked, text('done'))].map((one, i) => event(one, String(i)));
        return from === 0 ? stream(event('', '-1'), ...messages.slice(0, to)) : stream(...messages.slice(from, to));
      };
      const client = await opened(web, { clock });
      const seen: number[] = [];
      const call = client.call('t', {}, { onProgress: ({ progress }) => seen.push(progress) });
      await clock.pass(1_000);
      expect((await call).text).toBe('done');
      expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
      await client.close();
    }
  });
});

describe('the standing stream', () => {
  const news = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

  test('brings what belongs to no request, and is opened again when it ends', async () => {
    const clock = new HeldClock();
    const streams: OpenStream[] = [];
    const web = new FakeWeb(
      sessions(
        newest,
        posts(
          (asked) => json(result(asked, {})),
          () => {
            const open = new OpenStream();
            streams.push(open);
            return open.response;
          },
        ),
      ),
    );
    await using client = await opened(web, { clock });
    const heard: unknown[] = [];
    const watch = client.watch({ tools: true });
    void (async () => {
      for await (const one of watch) heard.push(one);
    })();
    await settled();
    streams[0]?.write(event(news, 'n1'));
    await settled();
    expect(heard).toEqual([{ kind: 'tools' }]);
    streams[0]?.end();
    await clock.pass(1_000);
    expect(web.with('GET').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'n1']);
    streams[1]?.write(event(news));
    await settled();
    expect(heard).toHaveLength(2);
  });

  test.each([400, 404, 405, 500])('is done without where there is none: %i', async (code) => {
    const clock = new HeldClock();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(
          (asked) => json(result(asked, text('hi'))),
          () => status(code),
        ),
      ),
    );
    await using client = await opened(web, { clock });
    await clock.pass(300_000);
    expect(web.with('GET')).toHaveLength(code < 500 ? 1 : 6);
    expect((await client.call('t')).text).toBe('hi');
  });

  test('is not given up for being cut now and then', async () => {
    const clock = new HeldClock();
    const streams: OpenStream[] = [];
    const web = new FakeWeb(
      sessions(
        newest,
        posts(
          (asked) => json(result(asked, {})),
          () => {
            const open = new OpenStream();
            streams.push(open);
            return open.response;
          },
        ),
      ),
    );
    await using client = await opened(web, { clock });
    for (let i = 0; i < 12; i++) {
      await clock.pass(60_000);
      streams.at(-1)?.cut();
      await clock.pass(1_000);
    }
    expect(streams).toHaveLength(13);
    expect(client.state).toBe('ready');
  });

  test('questions on it are answered by a POST, and called off when the server says so', async () => {
    const standing = new OpenStream();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(
          (asked) => json(result(asked, {})),
          () => standing.response,
        ),
      ),
    );
    const signals: AbortSignal[] = [];
    await using client = await opened(web, {
      elicit: ({ message }, { signal }) => {
        signals.push(signal);
        return message === 'Wait' ? new Promise<never>(() => undefined) : { action: 'decline' };
      },
    });
    const ask = (id: string, message: string): string =>
      event({
        jsonrpc: '2.0',
        id,
        method: 'elicitation/create',
        params: { message, requestedSchema: { type: 'object', properties: {} } },
      });
    standing.write(ask('q1', 'Now') + event({ jsonrpc: '2.0', id: 'q2', method: 'ping' }) + ask('q3', 'Wait'));
    await settled();
    standing.write(event({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q3' } }));
    await settled();
    const answers = web.asked.filter(({ body }) => 'result' in body || 'error' in body);
    expect(answers.map(({ body }) => body)).toEqual([
      { jsonrpc: '2.0', id: 'q2', result: {} },
      { jsonrpc: '2.0', id: 'q1', result: { action: 'decline' } },
    ]);
    expect(said(answers[0])).toEqual(['session-1', newest]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    expect(client.state).toBe('ready');
  });
});

describe('calling off', () => {
  test('the server is told, since a stream that ends means nothing', async () => {
    verifies('HTTP-035', 'LIFE-022', 'CANCEL-005', 'CANCEL-008');
    const clock = new HeldClock();
    const open = new OpenStream();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(() => open.response),
      ),
    );
    await using client = await opened(web, { clock });
    const control = new AbortController();
    const call = client.call('t', {}, { signal: control.signal }).catch((error: unknown) => error);
    await settled();
    control.abort(new Error('Never mind'));
    expect(await call).toMatchObject({ code: 'MCP_CANCELLED' });
    await settled();
    const { id } = web.with('tools/call')[0]?.body ?? {};
    expect(web.with('notifications/cancelled')[0]?.body['params']).toMatchObject({ requestId: id });
    open.write(event(result(web.with('tools/call')[0] as Asked, text('late')))); // it was made above
    await clock.pass(1_000);
    expect(web.with('tools/call')[0]?.signal.aborted).toBe(true);
    expect(web.with('GET')).toHaveLength(1);
  });
});

describe('a session that the server has forgotten', () => {
  test('is opened anew, and what was refused is sent again', async () => {
    verifies('HTTP-064');
    let opening = 0;
    const web = new FakeWeb((asked) =>
      sessions(
        newest,
        posts((one) => (one.headers['mcp-session-id'] === 'session-1' ? status(404) : json(result(one, text('hi'))))),
        asked.body['method'] === 'initialize' ? `session-${++opening}` : undefined,
      )(asked),
    );
    const states: string[] = [];
    await using client = await opened(web);
    client.onState((state) => states.push(state));
    expect((await client.call('t')).text).toBe('hi');
    expect(states).toEqual(['lost', 'connecting', 'ready']);
    expect(said(web.with('initialize')[1])).toEqual([undefined, undefined]);
    expect(web.with('tools/call').map((asked) => said(asked)[0])).toEqual(['session-1', 'session-2']);
    expect(web.with('server/discover')).toHaveLength(1);
  });

  test('takes what was under way with it', async () => {
    const open = new OpenStream();
    const web = new FakeWeb(
      sessions(
        newest,
        posts((asked) => (asked.body['method'] === 'tools/call' ? open.response : status(404))),
      ),
    );
    await using client = await opened(web);
    const call = client.call('t').catch((error: unknown) => error);
    await settled();
    await expect(client.request('tools/list')).rejects.toMatchObject({ code: 'MCP_SESSION_LOST' });
    expect(await call).toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
  });

  test('is noticed on the standing stream too', async () => {
    const clock = new HeldClock();
    const standing = new OpenStream();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(
          (asked) => json(result(asked, text('hi'))),
          () => (web.with('GET').length === 1 ? standing.response : status(404)),
        ),
      ),
    );
    await using client = await opened(web, { clock });
    await settled();
    standing.end();
    await clock.pass(1_000);
    expect(client.state).toBe('lost');
    expect((await client.call('t')).text).toBe('hi');
  });
});

describe('the end', () => {
  test('is not held up by a server that does not answer', async () => {
    const clock = new HeldClock();
    const web = new FakeWeb((asked) =>
      asked.method === 'DELETE'
        ? new Promise(() => undefined)
        : sessions(
            newest,
            posts((one) => json(result(one, {}))),
          )(asked),
    );
    const client = await opened(web, { clock });
    const closing = client.close();
    await clock.pass(2_000);
    await closing;
    expect(web.with('DELETE')[0]?.signal.aborted).toBe(true);
  });

  test('closes every stream', async () => {
    verifies('SSE-008');
    const standing = new OpenStream();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(
          () => new OpenStream().response,
          () => standing.response,
        ),
      ),
    );
    const client = await opened(web);
    const call = client.call('t').catch((error: unknown) => error);
    await settled();
    await client.close();
    expect(await call).toMatchObject({ code: 'MCP_CLOSED' });
    expect([...web.with('GET'), ...web.with('tools/call')].map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  test('a POST that says nothing does not hold up the opening for ever', async () => {
    const clock = new HeldClock();
    const web = new FakeWeb((asked) =>
      asked.body['method'] === 'notifications/initialized'
        ? new Promise(() => undefined)
        : sessions(
            newest,
            posts(() => status(500)),
          )(asked),
    );
    const connecting = opened(web, { clock }).catch((error: unknown) => error);
    await clock.pass(10_000);
    expect(await connecting).toMatchObject({ code: 'MCP_TIMEOUT', kind: 'offline' });
  });

  test('errors are answers whatever their status, and other refusals are told', async () => {
    const web = new FakeWeb(
      sessions(
        newest,
        posts((asked) =>
          asked.body['method'] === 'a'
            ? json({ ...failed(asked, -32000, 'Busy'), id: null }, { status: 400 })
            : status(409, {}, 'Conflict'),
        ),
      ),
    );
    await using client = await opened(web);
    await expect(client.request('a')).rejects.toMatchObject({ name: 'RpcError', code: -32000 });
    await expect(client.request('b')).rejects.toMatchObject({ code: 'MCP_HTTP_REFUSED', details: { status: 409 } });
  });
});
