/** Streams that break and are resumed, and the GET stream of a session. */
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  type Asked,
  event,
  FakeWeb,
  json,
  OpenStream,
  result,
  sessions,
  status,
  stream,
  text,
} from '../../../test/support/fake-web.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Client, ConnectOptions, Watch } from '../../client/index.ts';
import { connect } from '../../connect/connect.ts';
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts';

const url = 'https://a.example/mcp';
const newest = '2025-11-25';

function opened(web: FakeWeb, options: ConnectOptions = {}): Promise<Client> {
  return connect(url, {
    fetch: web.fetch,
    clock: virtualClock(),
    random: () => 0,
    onWarning: () => undefined,
    ...options,
  });
}

/** Answers POSTs of requests; all else gets 202, and there is no GET stream. */
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

describe('a stream that breaks off', () => {
  const primed = (asked: Asked): Response =>
    asked.body['method'] === 'tools/call' ? stream(`retry: 700\n${event('', 'e0')}`) : json(result(asked, {}));

  test('a stream is resumed from the last event, after the delay of the server', async () => {
    verifies('HTTP-031', 'HTTP-032', 'HTTP-052');
    const clock = virtualClock();
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
    await clock.advance(699);
    expect(web.with('GET')).toHaveLength(1);
    await clock.advance(1);
    await clock.advance(700);
    expect((await call).text).toBe('hi');
    expect(web.with('GET').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e0', 'e1']);
    expect(said(web.with('GET')[2])).toEqual(['session-1', newest]);
  });

  test('a stream that stays open after its response is closed', async () => {
    const clock = virtualClock();
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
    await clock.advance(700);
    expect((await call).text).toBe('hi');
    expect(web.with('GET')[1]?.signal.aborted).toBe(false);
    await clock.advance(1_000);
    expect(web.with('GET')[1]?.signal.aborted).toBe(true);
  });

  test('a stream is not resumed for a call that was cancelled in the meantime', async () => {
    const clock = virtualClock();
    const web = new FakeWeb(sessions(newest, posts(primed)));
    await using client = await opened(web, { clock });
    const control = new AbortController();
    const call = client.call('t', {}, { signal: control.signal }).catch((error: unknown) => error);
    await settled();
    control.abort();
    expect(await call).toMatchObject({ code: 'MCP_CANCELLED' });
    await clock.advance(60_000);
    expect(web.with('GET')).toHaveLength(1);
  });

  test('a call that is cancelled before its response begins is cut off after a second', async () => {
    const clock = virtualClock();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(() => new Promise<Response>(() => undefined)),
      ),
    );
    await using client = await opened(web, { clock });
    const control = new AbortController();
    const call = client.call('t', {}, { signal: control.signal }).catch((error: unknown) => error);
    await settled();
    control.abort();
    expect(await call).toMatchObject({ code: 'MCP_CANCELLED' });
    await clock.advance(999);
    expect(web.with('tools/call')[0]?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(web.with('tools/call')[0]?.signal.aborted).toBe(true);
  });

  test('a stream that lasted half a minute does not count as failed, even without an event', async () => {
    const clock = virtualClock();
    const lasting = (ms: number): Response => {
      const open = new OpenStream();
      clock.after(ms, () => open.end());
      return open.response;
    };
    const connections = async (ms: number): Promise<number> => {
      const web = new FakeWeb(
        sessions(
          newest,
          posts(primed, (asked) => (asked.headers['last-event-id'] === undefined ? status(405) : lasting(ms))),
        ),
      );
      await using client = await opened(web, { clock, timeoutMs: 5_000_000, maxTimeoutMs: 5_000_000 });
      const call = client.call('t').catch((error: unknown) => error);
      for (let second = 0; second < 800; second++) await clock.advance(1_000);
      const { length } = web.with('GET');
      await client.close();
      await call;
      return length;
    };
    expect(await connections(30_000)).toBeGreaterThan(20);
    expect(await connections(29_000)).toBe(6);
  });

  test.each<[string, Answer]>([
    ['405', () => status(405)],
    ['401', () => status(401)],
    ['JSON', () => json({})],
    ['nothing', () => status(204)],
    ['a network that fails', () => Promise.reject(new TypeError('fetch failed'))],
  ])('the outcome of a call is unknown if its stream is resumed with %s', async (_, get) => {
    const clock = virtualClock();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(primed, (asked) => (asked.headers['last-event-id'] === undefined ? status(405) : get(asked))),
      ),
    );
    await using client = await opened(web, { clock, timeoutMs: 500_000 });
    const call = client.call('t').catch((error: unknown) => error);
    await clock.advance(400_000);
    expect(await call).toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN', cause: { code: 'MCP_CLOSED' } });
  });

  test('a stream without progress is given up after several attempts', async () => {
    const clock = virtualClock();
    const web = new FakeWeb(
      sessions(
        newest,
        posts(primed, (asked) => (asked.headers['last-event-id'] === undefined ? status(405) : stream())),
      ),
    );
    await using client = await opened(web, { clock, timeoutMs: 500_000 });
    const call = client.call('t').catch((error: unknown) => error);
    await clock.advance(400_000);
    expect(await call).toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN', cause: { code: 'MCP_CLOSED' } });
    expect(web.with('GET')).toHaveLength(6);
  });

  test('with "retry: 0", reconnecting still backs off', async () => {
    const clock = virtualClock();
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
    await clock.advance(49);
    expect(web.with('GET')).toHaveLength(1);
    await clock.advance(60_000);
    expect(web.with('GET')).toHaveLength(6);
    expect(await call).toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
  });

  test('with only empty events, reconnecting backs off, and the call goes on', async () => {
    const clock = virtualClock();
    let n = 0;
    let done = false;
    let posted: Asked | undefined;
    const empty = (): Response => stream(`retry: 0\n${event('', `e${++n}`)}`);
    const post: Answer = (asked) => {
      posted = asked;
      return empty();
    };
    const poll: Answer = (asked) => {
      if (asked.headers['last-event-id'] === undefined) return status(405);
      return done && posted !== undefined ? stream(event(result(posted, { content: [] }), 'last')) : empty();
    };
    const web = new FakeWeb(sessions(newest, posts(post, poll)));
    await using client = await opened(web, { clock, random: () => 0.5, timeoutMs: 500_000 });
    const call = client.call('t');
    await clock.advance(2_500);
    expect(web.with('GET').length).toBeLessThanOrEqual(6);
    await clock.advance(60_000);
    // Polling goes on every few seconds: a server can work for long without a message.
    expect(web.with('GET').length).toBeGreaterThan(12);
    expect(web.with('GET').length).toBeLessThan(60);
    done = true;
    await clock.advance(10_000);
    await expect(call).resolves.toBeDefined();
  });

  test('after an event with a message, the next delay is that of the server again', async () => {
    const clock = virtualClock();
    const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
    let n = 0;
    const answer = (): Response => stream(`retry: 100\n${event(log, `e${++n}`)}`);
    const web = new FakeWeb(
      sessions(
        newest,
        posts(answer, (asked) => (asked.headers['last-event-id'] === undefined ? status(405) : answer())),
      ),
    );
    await using client = await opened(web, { clock, timeoutMs: 500_000 });
    const call = client.call('t').catch(() => undefined);
    await clock.advance(2_050);
    expect(web.with('GET')).toHaveLength(21);
    await client.close();
    await call;
  });

  test.each<[string, () => Response]>([
    ['no id', () => stream(event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }))],
    ['an id that no header can carry', () => stream(event('', 'ü'))],
    ['an id that was taken back', () => stream(event('', 'a'), 'id:\ndata:\n\n')],
  ])('a broken stream that had %s is not resumed', async (_, answer) => {
    const web = new FakeWeb(sessions(newest, posts(answer)));
    await using client = await opened(web);
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
    expect(web.with('GET')).toHaveLength(1);
  });

  test('a broken stream is not resumed in a revision without resumption', async () => {
    const web = new FakeWeb(sessions('2024-11-05', posts(primed)));
    await using client = await opened(web, { revisions: ['2024-11-05'] });
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
  });

  test('a stream gives the same text, wherever its bytes are cut', async () => {
    let at = 0;
    const web = new FakeWeb(
      sessions(
        newest,
        posts((asked) => {
          const bytes = new TextEncoder().encode(`: first\n${event(result(asked, text('Grüße 🙂 你')))}`);
          const pieces = [bytes.subarray(0, 8), bytes.subarray(8, at), bytes.subarray(Math.max(8, at))];
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              for (const piece of pieces) controller.enqueue(piece);
              controller.close();
            },
          });
          return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
        }),
      ),
    );
    await using client = await opened(web);
    for (at = 8; at < 130; at++) expect((await client.call('t')).text).toBe('Grüße 🙂 你');
  });

  test('a stream that breaks at any point delivers every message once and in order', async () => {
    const count = 6;
    for (let cut = 0; cut <= count; cut++) {
      const clock = virtualClock();
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
      await clock.advance(1_000);
      expect((await call).text).toBe('done');
      expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
      await client.close();
    }
  });
});

describe('the standing stream', () => {
  const news = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

  test('the GET stream delivers messages outside requests, and is reopened when it ends', async () => {
    const clock = virtualClock();
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
    await clock.advance(1_000);
    expect(web.with('GET').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'n1']);
    streams[1]?.write(event(news));
    await settled();
    expect(heard).toHaveLength(2);
  });

  test.each([400, 404, 405, 500])('a server can reject the GET stream with %i', async (code) => {
    const clock = virtualClock();
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
    await clock.advance(300_000);
    expect(web.with('GET')).toHaveLength(code < 500 ? 1 : 6);
    expect((await client.call('t')).text).toBe('hi');
  });

  test('a GET stream that breaks now and then is not given up', async () => {
    const clock = virtualClock();
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
      await clock.advance(60_000);
      streams.at(-1)?.cut();
      await clock.advance(1_000);
    }
    expect(streams).toHaveLength(13);
    expect(client.state).toBe('ready');
  });

  /** A server whose GET streams a test answers one by one. */
  function standing(...answers: readonly (Response | number)[]): FakeWeb {
    const left = [...answers];
    const get = (): Response => {
      const next = left.shift() ?? 503;
      return typeof next === 'number' ? status(next) : next;
    };
    return new FakeWeb(
      sessions(
        newest,
        posts((asked) => json(result(asked, {})), get),
      ),
    );
  }

  async function watched(
    web: FakeWeb,
  ): Promise<{ client: Client; clock: VirtualClock; heard: unknown[]; watch: Watch }> {
    const clock = virtualClock();
    const client = await opened(web, { clock });
    const heard: unknown[] = [];
    const watch = client.watch({ tools: true });
    void (async () => {
      for await (const one of watch) heard.push(one);
    })().catch((error: unknown) => heard.push(error));
    // The code for watches is loaded with the first one.
    await watch.granted;
    return { client, clock, heard, watch };
  }
  const changed = { kind: 'tools' };

  test('the GET stream is reopened, however long the server was unavailable', async () => {
    const [first, second] = [new OpenStream(), new OpenStream()];
    const web = standing(first.response, ...Array.from({ length: 20 }, () => 503), second.response);
    const { client, clock, heard } = await watched(web);
    first.cut();
    await clock.advance(12_000);
    expect(web.with('GET')).toHaveLength(13);
    expect(heard).toEqual([]);
    await clock.advance(600_000);
    expect(web.with('GET')).toHaveLength(22);
    // Changes in the meantime were not reported.
    expect(heard).toEqual([changed]);
    second.write(event(news));
    await settled();
    expect(heard).toEqual([changed, changed]);
    await client.close();
  });

  test('delays between attempts to reopen the GET stream grow, also long after it was first opened', async () => {
    const first = new OpenStream();
    const web = standing(first.response);
    const clock = virtualClock();
    await using client = await opened(web, { clock, random: () => 1 });
    await clock.advance(60_000);
    first.cut();
    const times: number[] = [];
    for (let seen = 1; times.length < 6; ) {
      await clock.advance(1_000);
      if (web.with('GET').length > seen) times.push(clock.now());
      seen = web.with('GET').length;
    }
    const pauses = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(pauses).toEqual([4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(client.state).toBe('ready');
  });

  test('when the GET stream is reopened, changes are reported, unless the server sends the missed events', async () => {
    const [first, second, third] = [new OpenStream(), new OpenStream(), new OpenStream()];
    const { client, clock, heard } = await watched(standing(first.response, second.response, third.response));
    first.write(event('', 'n1'));
    await settled();
    first.cut();
    await clock.advance(2_000);
    expect(heard).toEqual([]);
    second.write(event(news, ''));
    await settled();
    expect(heard).toEqual([changed]);
    second.cut();
    await clock.advance(2_000);
    expect(heard).toEqual([changed, changed]);
    await client.close();
  });

  test('a Last-Event-ID that the server has evicted is omitted from the next attempt', async () => {
    const [first, second] = [new OpenStream(), new OpenStream()];
    const web = standing(first.response, 400, second.response);
    const { client, clock, heard } = await watched(web);
    first.write(event('', 'n1'));
    await settled();
    first.cut();
    await clock.advance(10_000);
    expect(web.with('GET').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'n1', undefined]);
    expect(heard).toEqual([changed]);
    await client.close();
  });

  test('the GET stream is retried while the server answers 409 for the broken one', async () => {
    const [first, second] = [new OpenStream(), new OpenStream()];
    const web = standing(first.response, 409, 409, second.response);
    const { client, clock, heard } = await watched(web);
    first.write(event('', 'n1'));
    await settled();
    first.cut();
    await clock.advance(10_000);
    expect(web.with('GET').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'n1', 'n1', 'n1']);
    expect(heard).toEqual([]);
    await client.close();
  });

  test('a watch is granted nothing by a server without a GET stream', async () => {
    const { client, watch, heard } = await watched(standing(405));
    expect(await watch.granted).toEqual({});
    expect(heard).toEqual([]);
    await client.close();
  });

  test('a watch fails when the server ends its stream for good', async () => {
    const first = new OpenStream();
    const { client, clock, watch, heard } = await watched(standing(first.response, 405));
    expect(await watch.granted).toEqual({ toolsListChanged: true });
    first.end();
    await clock.advance(5_000);
    expect(heard).toMatchObject([{ code: 'MCP_HTTP_REFUSED' }]);
    await client.close();
  });

  test('requests on the GET stream are answered by a POST, and can be cancelled by the server', async () => {
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
