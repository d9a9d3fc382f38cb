/** The client side of sessions: headers, requests of the server, cancellation, lost sessions, closing. */
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
  text,
} from '../../../test/support/fake-web.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Client, ConnectOptions } from '../../client/index.ts';
import { connect } from '../../connect/connect.ts';
import type { HttpAuth, OutgoingRequest } from '../../model/auth.ts';
import { Deferred } from '../../peer/wait.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { UrlOptions } from './options.ts';

const url = 'https://a.example/mcp';
const newest = '2025-11-25';

function opened(web: FakeWeb, options: ConnectOptions & UrlOptions = {}): Promise<Client> {
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

describe('the opening', () => {
  test('a server that does not accept the end of the handshake is waited for until connectTimeoutMs', async () => {
    const rest = sessions(newest, () => status(405));
    const web = new FakeWeb((asked) =>
      asked.body['method'] === 'notifications/initialized' ? new Promise(() => undefined) : rest(asked),
    );
    const clock = virtualClock();
    const connecting = opened(web, { clock, connectTimeoutMs: 1_000 }).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await connecting).toMatchObject({
      code: 'MCP_TIMEOUT',
      details: { setting: 'connectTimeoutMs', ms: 1_000 },
    });
  });

  test.each(['2025-06-18', '2025-11-25'])(
    'all requests after the handshake have the headers of session and version, in %s',
    async (revision) => {
      verifies('HTTP-060', 'HTTP-067', 'HTTP-068', 'HTTP-039', 'HTTP-040', 'HTTP-065', 'LIFE-005', 'HTTP-011');
      const web = new FakeWeb(
        sessions(
          revision,
          posts((asked) => json(result(asked, text('hi')))),
        ),
      );
      const client = await opened(web, { revisions: ['2026-07-28', revision] });
      await client.call('t');
      await client.close();
      expect(web.asked.map((asked) => [asked.body['method'] ?? asked.method, ...said(asked)])).toEqual([
        ['server/discover', undefined, '2026-07-28'],
        ['initialize', undefined, undefined],
        ['notifications/initialized', 'session-1', revision],
        ['GET', 'session-1', revision],
        ['tools/call', 'session-1', revision],
        ['DELETE', 'session-1', revision],
      ]);
      expect(web.with('GET')[0]?.headers['accept']).toBe('text/event-stream');
      expect(web.with('initialize')[0]?.headers).not.toHaveProperty('mcp-method');
    },
  );

  test.each(['2025-03-26', '2024-11-05'])('requests of %s have no version header', async (revision) => {
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

  test('a server need not open a session, and then no DELETE is sent', async () => {
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

  test('a session id can be as long as a signed token', async () => {
    verifies('HTTP-060');
    const id = `ey${'J'.repeat(8_000)}`;
    const web = new FakeWeb(
      sessions(
        newest,
        posts((asked) => json(result(asked, text('hi')))),
        id,
      ),
    );
    await using client = await opened(web);
    await client.call('t');
    expect(said(web.with('tools/call')[0])).toEqual([id, newest]);
  });

  test.each(['a b', 'ü', `x${'y'.repeat(8_192)}`])('an invalid session id is not used: %j', async (id) => {
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

test('a batch of requests is answered by a batch, in the revision with batches', async () => {
  verifies('HTTP-010');
  const standing = new OpenStream();
  const web = new FakeWeb(
    sessions(
      '2025-03-26',
      posts(
        (asked) => json(result(asked, {})),
        () => standing.response,
      ),
    ),
  );
  await using client = await opened(web, { revisions: ['2025-03-26'] });
  standing.write(event([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))));
  await settled();
  expect(web.asked.map(({ body }) => body).filter(Array.isArray)).toEqual([
    [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ],
  ]);
  expect(client.state).toBe('ready');
});

test.each(['2025-06-18', '2025-11-25'])('in %s, no batch is posted, not even in response to one', async (revision) => {
  verifies('HTTP-011');
  const standing = new OpenStream();
  const web = new FakeWeb(
    sessions(
      revision,
      posts(
        (asked) => json(result(asked, text('hi'))),
        () => standing.response,
      ),
    ),
  );
  await using client = await opened(web, { revisions: [revision] });
  standing.write(event([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))));
  for (const id of [3, 4]) standing.write(event({ jsonrpc: '2.0', id, method: 'ping' }));
  await settled();
  await Promise.all([client.call('t'), client.call('t')]);
  const bodies = web.asked.map(({ body }) => body).filter((body) => body !== undefined);
  expect(bodies.filter(Array.isArray)).toEqual([]);
  expect(bodies).toContainEqual({ jsonrpc: '2.0', id: 3, result: {} });
  expect(bodies).toContainEqual({ jsonrpc: '2.0', id: 4, result: {} });
});

describe('an answer to what the server asks', () => {
  /** A server that sends one request, and reacts to the response in the given way. */
  async function asked(...ways: readonly (() => Response)[]): Promise<{
    readonly client: Client;
    readonly posted: () => number;
    readonly warnings: string[];
    pass(ms: number): Promise<void>;
  }> {
    const standing = new OpenStream();
    const [clock, warnings] = [virtualClock(), [] as string[]];
    let posted = 0;
    const web = new FakeWeb(
      sessions(newest, ({ method, body }) => {
        if (method === 'GET') return standing.response;
        return 'result' in body && body['id'] === 7 ? (ways[posted++] ?? (() => status(202)))() : status(202);
      }),
    );
    const onWarning = (warning: string): void => void warnings.push(warning);
    const client = await opened(web, { revisions: [newest], clock, onWarning });
    standing.write(event({ jsonrpc: '2.0', id: 7, method: 'ping' }));
    await settled();
    return { client, posted: () => posted, warnings, pass: (ms) => clock.advance(ms) };
  }
  const breaks = (): Response => {
    throw new TypeError('other side closed');
  };

  test.each([
    ['breaks off', breaks],
    ['meets a balancer without a server', () => status(502)],
    ['is put off', () => status(503, { 'retry-after': '1' })],
  ])('a response is sent again if its connection %s', async (_, way) => {
    const { posted, warnings, pass } = await asked(way);
    expect(posted()).toBe(1);
    await pass(1_000);
    expect([posted(), warnings]).toEqual([2, []]);
    await pass(10_000);
    expect(posted()).toBe(2);
  });

  test('a response that is put off is not sent after the client was closed', async () => {
    const { client, posted, warnings, pass } = await asked(() => status(503, { 'retry-after': '1' }));
    await client.close();
    await pass(10_000);
    expect([posted(), warnings]).toEqual([1, []]);
  });

  test('a response is not sent again if the server rejects it, and at most four times', async () => {
    const rejected = await asked(() => status(400));
    await rejected.pass(10_000);
    expect([rejected.posted(), rejected.warnings]).toEqual([1, [expect.stringContaining('Not delivered')]]);
    const broken = await asked(breaks, breaks, breaks, breaks, breaks);
    await broken.pass(10_000);
    expect([broken.posted(), broken.warnings]).toEqual([4, [expect.stringContaining('Not delivered')]]);
  });
});

test('the id of a session is sent only to its server', async () => {
  verifies('HTTP-059');
  const warnings: string[] = [];
  const moved = status(307, { location: 'https://evil.example/mcp' });
  const web = new FakeWeb(
    sessions(
      newest,
      posts((asked) => (asked.body['method'] === 'a' ? moved : status(404))),
    ),
  );
  await using client = await opened(web, { onWarning: (warning) => warnings.push(warning) });
  const errors = [await client.request('a').catch(String), await client.request('b').catch(String)];
  expect(errors).toEqual([
    expect.stringContaining('another origin'),
    expect.stringContaining('no longer knows this session'),
  ]);
  expect([...errors, ...warnings].join()).not.toContain('session-1');
  expect(web.asked.filter(({ url: to }) => !to.startsWith('https://a.example/'))).toEqual([]);
});

describe('calling off', () => {
  test('cancelling notifies the server, because closing a stream does not cancel', async () => {
    verifies('HTTP-035', 'LIFE-022', 'CANCEL-005', 'CANCEL-008');
    const clock = virtualClock();
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
    await clock.advance(1_000);
    expect(web.with('tools/call')[0]?.signal.aborted).toBe(true);
    expect(web.with('GET')).toHaveLength(1);
  });
});

describe('a session that the server has forgotten', () => {
  test('a lost session is opened again, and the rejected request is sent again', async () => {
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

  test('a lost session rejects the open requests', async () => {
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

  test('a lost session is noticed on the GET stream too', async () => {
    const clock = virtualClock();
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
    await clock.advance(1_000);
    expect(client.state).toBe('lost');
    expect((await client.call('t')).text).toBe('hi');
  });
});

describe('the end', () => {
  test('closing is not delayed by a server that does not respond', async () => {
    const clock = virtualClock();
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
    await clock.advance(2_000);
    await closing;
    expect(web.with('DELETE')[0]?.signal.aborted).toBe(true);
  });

  test('closing is not delayed by credentials that do not arrive, for example because of an unreachable token endpoint', async () => {
    const clock = virtualClock();
    const web = new FakeWeb(
      sessions(
        newest,
        posts((one) => json(result(one, {}))),
      ),
    );
    const ended = new Deferred<void>();
    const renewing = ({ signal }: OutgoingRequest): Promise<undefined> =>
      new Promise(() => signal.addEventListener('abort', () => ended.resolve()));
    const headers: HttpAuth['headers'] = (asked) => (asked.method === 'DELETE' ? renewing(asked) : undefined);
    const client = await opened(web, { clock, auth: () => ({ headers, onChallenge: () => false }) });
    const closing = client.close();
    await clock.advance(2_000);
    await ended.promise;
    await closing;
    expect(web.with('DELETE')).toEqual([]);
  });

  test('closing ends every stream', async () => {
    verifies('SSE-008', 'HTTP-046');
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

  test('a POST without a response does not delay the handshake for ever', async () => {
    const clock = virtualClock();
    const web = new FakeWeb((asked) =>
      asked.body['method'] === 'notifications/initialized'
        ? new Promise(() => undefined)
        : sessions(
            newest,
            posts(() => status(500)),
          )(asked),
    );
    const connecting = opened(web, { clock }).catch((error: unknown) => error);
    await clock.advance(10_000);
    expect(await connecting).toMatchObject({ code: 'MCP_TIMEOUT', kind: 'offline' });
  });

  test('JSON-RPC errors are responses with any status, and other error statuses are reported', async () => {
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
