/** Connecting to a URL: negotiation, HTTP+SSE, redirects and busy servers. */
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
  stateless,
  status,
  stream,
  text,
} from '../../../test/support/fake-web.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Client, ConnectOptions } from '../../client/index.ts';
import { connect } from '../../connect/connect.ts';
import type { HttpAuth } from '../../model/auth.ts';
import { printable } from '../../model/printable.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { UrlOptions } from '../../transport/http-client/options.ts';

const url = 'https://a.example/mcp';
type Options = ConnectOptions & UrlOptions;

const opened = (web: FakeWeb, options: Options = {}): Promise<Client> =>
  connect(url, { fetch: web.fetch, clock: virtualClock(), random: () => 0, onWarning: () => undefined, ...options });

const outcome = (web: FakeWeb, options: Options = {}): Promise<unknown> =>
  opened(web, options).catch((error: unknown) => error);

const answered: Answer = (asked) => (asked.method === 'GET' ? status(405) : json(result(asked, text('hi'))));
const methods = (web: FakeWeb): unknown[] => web.asked.map(({ method, body }) => body['method'] ?? method);

describe('what the server speaks', () => {
  test('the client probes a server with the newest revision first', async () => {
    verifies('HTTP-116', 'LIFE-046', 'LIFE-049');
    const web = new FakeWeb(stateless(answered));
    await using client = await opened(web);
    expect(client.server.revision).toBe('2026-07-28');
    await client.call('t');
    expect(methods(web)).toEqual(['server/discover', 'tools/call']);
  });

  test.each<[string, Answer]>([
    ['an empty 400', () => status(400)],
    ['404 with a page', () => status(404, { 'content-type': 'text/html' }, '<h1>Not found</h1>')],
    ['405', () => status(405)],
    ['415', () => status(415)],
    ['400 and an error of its own', (asked) => json({ ...failed(asked, -32000), id: null }, { status: 400 })],
    ['200 and −32601', (asked) => json(failed(asked, -32601))],
    ['200 and −32602', (asked) => json(failed(asked, -32602))],
    ['200 and −32600', (asked) => json(failed(asked, -32600))],
    ['200 and a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['200 and nothing that answers', () => json({})],
    ['an answer that is no discovery', (asked) => json(result(asked, {}))],
    ['202', () => status(202)],
  ])('%s means that the server needs a handshake', async (_, first) => {
    verifies('HTTP-117', 'HTTP-118');
    const meeting = sessions('2025-06-18', answered);
    const web = new FakeWeb((asked) => (asked.body['method'] === 'server/discover' ? first(asked) : meeting(asked)));
    await using client = await opened(web);
    expect(client.server.revision).toBe('2025-06-18');
    expect(web.with('initialize')[0]?.headers).not.toHaveProperty('mcp-protocol-version');
  });

  test.each([-32020, -32021])('the code %i is from a stateless server, so no handshake is tried', async (code) => {
    verifies('LIFE-052', 'HTTP-117');
    const web = new FakeWeb((asked) => json(failed(asked, code), { status: 400 }));
    expect(await outcome(web)).toMatchObject({ name: 'RpcError', code });
    expect(methods(web)).toEqual(['server/discover']);
  });

  test('an error −32022 names the supported revisions, of which one is used', async () => {
    verifies('LIFE-044', 'HTTP-118');
    const meeting = sessions('2025-11-25', answered);
    const refusal = (asked: Asked): Response =>
      json(
        {
          jsonrpc: '2.0',
          id: asked.body['id'],
          error: { code: -32022, message: 'No', data: { supported: ['2025-11-25'] } },
        },
        { status: 400 },
      );
    const web = new FakeWeb((asked) => (asked.body['method'] === 'server/discover' ? refusal(asked) : meeting(asked)));
    await using client = await opened(web);
    expect(client.server.revision).toBe('2025-11-25');
  });

  test.each<[string, Answer, object]>([
    ['500', () => status(500, {}, 'Oops'), { code: 'MCP_HTTP_FAILED', kind: 'offline', details: { status: 500 } }],
    ['502', () => status(502), { code: 'MCP_HTTP_FAILED' }],
    [
      '429',
      () => status(429, { 'retry-after': '99999' }),
      { code: 'MCP_HTTP_FAILED', message: expect.stringContaining('try again after 99999 s') },
    ],
    [
      'a network that fails',
      () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNRESET') })),
      { code: 'MCP_CLOSED', message: expect.stringContaining('fetch failed: ECONNRESET') },
    ],
    [
      '401',
      () => status(401, { 'www-authenticate': 'Bearer realm="a"' }),
      { code: 'MCP_UNAUTHORIZED', kind: 'auth', message: expect.stringContaining('Bearer realm="a"') },
    ],
    ['403', () => status(403), { code: 'MCP_UNAUTHORIZED', kind: 'auth', details: { status: 403 } }],
  ])('%s does not show whether a handshake is needed, and is reported', async (_, answer, error) => {
    const web = new FakeWeb(answer);
    const thrown = await outcome(web);
    expect(thrown).toMatchObject(error);
    expect(String(thrown)).toContain(url);
    expect(methods(web)).toEqual(['server/discover']);
  });

  describe('the error quotes the rejection of the server', () => {
    const denied = 'Forbidden: this Host is not served here (allowedHosts)';
    const secret = 'tok-4711-abcdef';

    test.each([403, 401, 404, 406, 410, 500, 503])(
      'the error for status %i quotes the JSON-RPC message or the text of the body',
      async (code) => {
        const rpc = (): Response =>
          json({ jsonrpc: '2.0', error: { code: -32600, message: denied } }, { status: code });
        for (const answer of [rpc, () => status(code, {}, ` ${denied}\n`)])
          expect(String(await outcome(new FakeWeb(answer)))).toContain(denied);
      },
    );

    test('the error for a 403 without a challenge does not advise to pass credentials', async () => {
      const text = String(await outcome(new FakeWeb(() => status(403, {}, denied))));
      expect(text).toContain('check what the server allows');
      expect(text).not.toContain('pass credentials');
      const challenged = status(403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }, denied);
      expect(String(await outcome(new FakeWeb(() => challenged)))).toMatch(/insufficient_scope.*Forbidden.*pass cred/);
    });

    test.each([401, 403, 406, 500])(
      '%i: in a few words on one line, without what drives a terminal and without secrets',
      async (code) => {
        const said = `no\u001b[2J\r\nfor ${secret}\u202e password=hunter2 ${'x'.repeat(100_000)}`;
        const headers = { authorization: `Bearer ${secret}` };
        const challenge = { 'www-authenticate': `Bearer error_description="no ${secret}"` };
        const thrown = await outcome(new FakeWeb(() => status(code, challenge, said)), { headers });
        const text = String(thrown);
        expect(text).toContain('\\u001b[2J\\u000d\\u000afor [masked]');
        expect(printable(text)).toBe(text);
        expect(text).not.toMatch(/4711|hunter2/);
        expect(text.length).toBeLessThan(800);
      },
    );

    test('if credentials are rejected again, the error quotes the body of the last response', async () => {
      let n = 0;
      const auth = (): HttpAuth => ({
        headers: () => ({ authorization: `Bearer ${secret}` }),
        onChallenge: () => ++n === 1,
      });
      const web = new FakeWeb(() => status(403, {}, `reason ${n} of ${secret}`));
      const text = String(await outcome(web, { auth }));
      expect(text).toContain('(reason 1 of [masked])');
    });

    test('the error does not wait for a body that never ends or breaks', async () => {
      const clock = virtualClock();
      const endless = new OpenStream('some');
      const connecting = outcome(new FakeWeb(() => new Response(endless.response.body, { status: 403 })), { clock });
      await clock.advance(1_000);
      expect(String(await connecting)).toContain('(some)');
    });
  });

  test('a probe without a response is reported, and no handshake is tried', async () => {
    const clock = virtualClock();
    const web = new FakeWeb(() => new Promise(() => undefined));
    const connecting = outcome(web, { clock });
    await clock.advance(10_000);
    expect(await connecting).toMatchObject({ code: 'MCP_TIMEOUT', details: { setting: 'connectTimeoutMs' } });
    expect(methods(web)).toEqual(['server/discover']);
    expect(web.asked[0]?.signal.aborted).toBe(true);
  });

  test('the need for a handshake is cached for an hour, and a stateless revision until it fails', async () => {
    verifies('LIFE-053');
    const clock = virtualClock();
    let forgets = false;
    const meeting = sessions('2025-11-25', (asked) =>
      asked.method === 'GET' ? status(405) : forgets ? status(404) : answered(asked),
    );
    const web = new FakeWeb((asked) => {
      if (asked.body['method'] === 'initialize') forgets = false;
      return meeting(asked);
    });
    await using client = await opened(web, { clock });
    forgets = true;
    await client.call('t');
    expect(web.with('server/discover')).toHaveLength(1);
    await clock.advance(3_600_001);
    forgets = true;
    await client.call('t');
    expect(web.with('server/discover')).toHaveLength(2);
    forgets = true;
    await client.call('t');
    expect(web.with('server/discover')).toHaveLength(2);
    expect(web.with('initialize')).toHaveLength(4);
  });

  test('a server that was replaced by one with handshakes is probed again', async () => {
    let old = false;
    const meeting = sessions('2025-11-25', (asked) =>
      asked.headers['mcp-session-id'] === undefined
        ? json({ ...failed(asked, -32000, 'No session'), id: null }, { status: 400 })
        : answered(asked),
    );
    const web = new FakeWeb((asked) => (old ? meeting(asked) : stateless(answered)(asked)));
    await using client = await opened(web);
    await client.call('t');
    old = true;
    expect((await client.call('t')).text).toBe('hi');
    expect(client.server.revision).toBe('2025-11-25');
  });
});

describe('HTTP+SSE', () => {
  /** An HTTP+SSE server: a stream at `/mcp`, and the URL that the stream names. */
  const oldest =
    (standing: OpenStream, code = 404): Answer =>
    (asked) => {
      if (asked.method === 'GET') return standing.response;
      if (asked.url !== 'https://a.example/post?session=1') return status(code);
      const { method, id } = asked.body;
      const opening = {
        protocolVersion: '2024-11-05',
        capabilities: { tools: {} },
        serverInfo: { name: 'old', version: '1' },
      };
      if (id !== undefined) standing.write(event(result(asked, method === 'initialize' ? opening : text('hi'))));
      return status(202, {}, 'Accepted');
    };
  const named = (address: string): OpenStream => new OpenStream(`event: endpoint\ndata: ${address}\n\n`);

  test.each([400, 404, 405])(
    'HTTP+SSE is used if a server responds with %i and its stream names a URL',
    async (code) => {
      verifies('SSE-003', 'SSE-011', 'SSE-012');
      const standing = named('/post?session=1');
      const web = new FakeWeb(oldest(standing, code));
      await using client = await opened(web);
      expect(client.server.revision).toBe('2024-11-05');
      expect((await client.call('t')).text).toBe('hi');
      expect(web.asked.map(({ method, url: to, body }) => [method, to, body['method']])).toEqual([
        ['POST', url, 'server/discover'],
        ['POST', url, 'initialize'],
        ['GET', url, undefined],
        ['POST', 'https://a.example/post?session=1', 'initialize'],
        ['POST', 'https://a.example/post?session=1', 'notifications/initialized'],
        ['POST', 'https://a.example/post?session=1', 'tools/call'],
      ]);
    },
  );

  test.each(['2025-03-26', '2025-06-18'])(
    'HTTP+SSE is tried after any rejection of initialize in %s, and only after three statuses in later revisions',
    async (revision) => {
      verifies('SSE-010', 'SSE-011');
      await using client = await opened(new FakeWeb(oldest(named('/post?session=1'), 406)), {
        revisions: [revision, '2024-11-05'],
      });
      expect(client.server.revision).toBe('2024-11-05');
      const web = new FakeWeb(oldest(named('/post?session=1'), 406));
      expect(await outcome(web)).toMatchObject({ code: 'MCP_HTTP_REFUSED', details: { status: 406 } });
      expect(web.with('GET')).toEqual([]);
    },
  );

  test('an HTTP+SSE session ends with its stream, and is opened again', async () => {
    const streams = [named('/post?session=1'), named('https://a.example/post?session=1')];
    const web = new FakeWeb((asked) => oldest(streams[web.with('GET').length > 1 ? 1 : 0] as OpenStream)(asked)); // there are two
    await using client = await opened(web);
    streams[0]?.end();
    await settled();
    expect(client.state).toBe('lost');
    expect((await client.call('t')).text).toBe('hi');
    expect(web.with('GET')).toHaveLength(2);
  });

  test.each<[string, () => Response, string]>([
    [
      'names another origin',
      () => named('https://evil.example/post').response,
      'names another origin, https://evil.example',
    ],
    ['names the origin with another scheme', () => named('http://a.example/post').response, 'names another origin'],
    ['names no URL', () => named('http://[').response, 'has no valid URL'],
    ['begins with something else', () => stream(event({ jsonrpc: '2.0', method: 'a' })), 'is not "endpoint"'],
    ['ends at once', () => stream(), 'ended its stream'],
  ])('an HTTP+SSE stream that %s is rejected', async (_, get, why) => {
    const web = new FakeWeb((asked) => (asked.method === 'GET' ? get() : status(404)));
    expect(await outcome(web)).toMatchObject({ code: 'MCP_HTTP_UNEXPECTED', message: expect.stringContaining(why) });
    expect(new Set(web.asked.map(({ url: to }) => to))).toEqual(new Set([url]));
  });

  test('if there is no HTTP+SSE stream, the error is that of the POST', async () => {
    const web = new FakeWeb((asked) => (asked.method === 'GET' ? status(405) : status(404, {}, 'Nothing here')));
    expect(await outcome(web)).toMatchObject({
      code: 'MCP_HTTP_REFUSED',
      message: expect.stringContaining('Nothing here'),
    });
  });

  test.each([
    [
      '<!DOCTYPE html>\n<html>\n<head><title>Page not\n found</title></head></html>',
      ' (an HTML page: "Page not found")',
    ],
    ['  <html lang="en"><body>Nothing</body></html>', ' (an HTML page)'],
  ])('an error quotes only the title of the page %j', async (page, quoted) => {
    expect(await outcome(new FakeWeb(() => status(404, { 'content-type': 'text/html' }, page)))).toMatchObject({
      message: `${url} rejected initialize with status 404${quoted}. Check that the URL is an MCP endpoint`,
    });
  });

  test('a 404 whose error answers no request is about the URL, unless it is about the method', async () => {
    const missing = (code: number): FakeWeb =>
      new FakeWeb(() => json({ jsonrpc: '2.0', id: null, error: { code, message: 'Not found' } }, { status: 404 }));
    expect(await outcome(missing(-32600))).toMatchObject({
      code: 'MCP_HTTP_REFUSED',
      message: `${url} rejected initialize with status 404 (Not found). Check that the URL is an MCP endpoint`,
    });
    expect(await outcome(missing(-32601))).toMatchObject({ name: 'RpcError', code: -32601 });
  });

  test('HTTP+SSE is not tried after an error that only stateless servers send', async () => {
    verifies('SSE-012');
    const web = new FakeWeb((asked) =>
      asked.body['method'] === 'initialize' ? json(failed(asked, -32022), { status: 400 }) : status(404),
    );
    expect(await outcome(web)).toMatchObject({ code: -32022 });
    expect(web.with('GET')).toEqual([]);
  });
});

describe('redirects', () => {
  const moved = (to: string, code = 307): Response => status(code, { location: to });

  test('redirects within the origin are followed, with the same method and headers', async () => {
    const web = new FakeWeb((asked) => (asked.url === url ? moved('/v2/mcp', 308) : stateless(answered)(asked)));
    await using client = await opened(web, { headers: { authorization: 'Bearer a' } });
    await client.call('t');
    expect(
      web.with('tools/call').map(({ method, url: to, headers }) => [method, to, headers['authorization']]),
    ).toEqual([
      ['POST', url, 'Bearer a'],
      ['POST', 'https://a.example/v2/mcp', 'Bearer a'],
    ]);
  });

  test.each<[string, () => Response, string]>([
    ['to another origin', () => moved('https://evil.example/mcp'), 'the request would go to another origin'],
    ['to another port', () => moved('https://a.example:8443/mcp'), 'another origin'],
    ['to plain HTTP', () => moved('http://a.example/mcp'), 'another origin'],
    ['in circles', () => moved(url), 'more than 3 redirects'],
    ['as a GET', () => moved('/v2', 303), 'the method would change'],
    ['to nowhere', () => status(307), 'nowhere: that is not a URL'],
    ['to a text', () => moved('data:application/json,{}'), 'to data:: the request would go to another origin'],
    ['far away', () => moved(`//b.example/${'x'.repeat(500)}`), `to https://b.example/${'x'.repeat(182)}: the request`],
  ])('redirects are not followed: %s', async (_, answer, why) => {
    const web = new FakeWeb(answer);
    expect(await outcome(web)).toMatchObject({
      code: 'MCP_HTTP_REDIRECT',
      kind: 'http',
      message: expect.stringContaining(why),
    });
    expect(new Set(web.asked.map(({ url: to }) => new URL(to).origin))).toEqual(new Set(['https://a.example']));
  });
});

describe('a server that is busy', () => {
  const busy = (after: string, times: number): FakeWeb => {
    const web: FakeWeb = new FakeWeb(
      stateless((asked) =>
        web.with(String(asked.body['method'])).length <= times
          ? status(503, { 'retry-after': after })
          : json(result(asked, { ...text('hi'), contents: [] })),
      ),
    );
    return web;
  };

  test('a busy server gets the request again after Retry-After, if it is repeatable', async () => {
    const clock = virtualClock();
    const web = busy('5', 1);
    await using client = await opened(web, { clock });
    const read = client.read('a:b');
    await clock.advance(4_999);
    expect(web.with('resources/read')).toHaveLength(1);
    await clock.advance(1);
    await read;
    expect(web.with('resources/read')).toHaveLength(2);
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_HTTP_FAILED', details: { status: 503 } });
    expect(web.with('tools/call')).toHaveLength(1);
  });

  test('Retry-After can be a date', async () => {
    const clock = virtualClock();
    const web = busy(new Date(3_000).toUTCString(), 1);
    await using client = await opened(web, { clock });
    const read = client.read('a:b');
    await clock.advance(2_000);
    await read;
    expect(web.with('resources/read')).toHaveLength(2);
  });

  test.each(['61', '99999999', 'soon', ''])(
    'a Retry-After of more than a minute, or an invalid one, is not followed: %j',
    async (after) => {
      const web = busy(after, 99);
      await using client = await opened(web);
      await expect(client.read('a:b')).rejects.toMatchObject({ code: 'MCP_HTTP_FAILED' });
      expect(web.with('resources/read')).toHaveLength(2);
    },
  );

  test('a busy server gets the request a limited number of times', async () => {
    const clock = virtualClock();
    const web = busy('0', 99);
    await using client = await opened(web, { clock });
    const read = client.read('a:b').catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await read).toMatchObject({ code: 'MCP_HTTP_FAILED' });
    expect(web.with('resources/read')).toHaveLength(8);
  });
});
