/** The client side of revisions without sessions: headers, responses, and cancellation. */
import { describe, expect, test } from 'vitest';
import {
  event,
  FakeWeb,
  failed,
  json,
  OpenStream,
  result,
  stateless,
  status,
  stream,
  text,
} from '../../../test/support/fake-web.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Client } from '../../client/index.ts';
import { connect } from '../../connect/connect.ts';
import { McpError } from '../../errors.ts';
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts';
import type { UrlOptions } from './options.ts';

const url = 'https://a.example/mcp?tenant=7';

async function opened(
  web: FakeWeb,
  more: UrlOptions & { clock?: VirtualClock; warnings?: string[] } = {},
): Promise<Client> {
  const { warnings = [], ...options } = more;
  return connect(url, {
    fetch: web.fetch,
    onWarning: (warning) => warnings.push(warning),
    clock: virtualClock(),
    ...options,
  });
}

const progress = (token: unknown, value: number): object => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: token, progress: value },
});
const tokenOf = (asked: { body: Record<string, unknown> }): unknown =>
  (asked.body['params'] as Record<string, Record<string, unknown>>)['_meta']?.['progressToken']; // as the client wrote it

describe('what goes along', () => {
  test('version, method and name are repeated in headers', async () => {
    verifies(
      'HTTP-008',
      'HTTP-009',
      'HTTP-012',
      'HTTP-071',
      'HTTP-072',
      'HTTP-078',
      'HTTP-079',
      'HTTP-080',
      'LIFE-026',
      'LIFE-027',
    );
    const web = new FakeWeb(
      stateless((asked) => json(result(asked, { ...text('hi'), contents: [], messages: [], prompts: [] }))),
    );
    await using client = await opened(web, { headers: { 'X-Tenant': 'a', Accept: 'nothing' } });
    await client.call('greet', { who: 'Ada' });
    await client.read('file:///a b');
    await client.getPrompt('hail');
    await client.list('prompts').all();
    const [discover, call, read, get, list] = web.asked;
    const common = {
      'x-tenant': 'a',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
    };
    expect(web.asked.map(({ method, url: to }) => [method, to])).toEqual(web.asked.map(() => ['POST', url]));
    expect(discover?.headers).toEqual({ ...common, 'mcp-method': 'server/discover' });
    expect(call?.headers).toEqual({ ...common, 'mcp-method': 'tools/call', 'mcp-name': 'greet' });
    expect(read?.headers).toEqual({ ...common, 'mcp-method': 'resources/read', 'mcp-name': 'file:///a b' });
    expect(get?.headers).toEqual({ ...common, 'mcp-method': 'prompts/get', 'mcp-name': 'hail' });
    expect(list?.headers).toEqual({ ...common, 'mcp-method': 'prompts/list' });
    for (const { body, headers } of web.asked) {
      expect(body['method']).toBe(headers['mcp-method']);
      // A client without handlers declares no capabilities.
      const introduction = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      expect(body).toMatchObject({ params: { _meta: introduction } });
    }
  });

  test.each([
    ['größe', '=?base64?Z3LDtsOfZQ==?='],
    [' padded', '=?base64?IHBhZGRlZA==?='],
    ['=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
    ['plain', 'plain'],
  ])('a name that HTTP cannot send is encoded: %j', async (name, header) => {
    verifies('HTTP-081', 'HTTP-101', 'HTTP-102', 'HTTP-103', 'TOOL-82');
    const web = new FakeWeb(stateless((asked) => json(result(asked, text('hi')))));
    await using client = await opened(web);
    await client.call(name);
    expect(web.asked[1]?.headers['mcp-name']).toBe(header);
  });

  test('marked arguments are repeated in headers once their tool was listed', async () => {
    verifies('HTTP-088', 'HTTP-099', 'HTTP-100', 'HTTP-105', 'TOOL-81', 'TOOL-82');
    const marked = (header: string, type = 'string'): object => ({ type, 'x-mcp-header': header });
    const inputSchema = {
      type: 'object',
      properties: {
        region: marked('Region'),
        count: marked('Count', 'integer'),
        dry: marked('Dry', 'boolean'),
        inner: { type: 'object', properties: { region: marked('Inner') } },
        none: marked('None'),
        missing: marked('Missing'),
      },
    };
    const web = new FakeWeb(
      stateless((asked) =>
        json(
          result(
            asked,
            asked.body['method'] === 'tools/list'
              ? { resultType: 'complete', tools: [{ name: 't', inputSchema }], ttlMs: 0, cacheScope: 'private' }
              : text('hi'),
          ),
        ),
      ),
    );
    await using client = await opened(web);
    const args = { region: '', count: 42, dry: false, inner: { region: 'süd' }, none: null };
    await client.call('t', args);
    expect(Object.keys(web.asked[1]?.headers ?? {}).filter((name) => name.startsWith('mcp-param'))).toEqual([]);
    await client.list('tools').all();
    await client.call('t', args);
    const sent = Object.entries(web.asked[3]?.headers ?? {}).filter(([name]) => name.startsWith('mcp-param'));
    expect(Object.fromEntries(sent)).toEqual({
      'mcp-param-region': '=?base64??=',
      'mcp-param-count': '42',
      'mcp-param-dry': 'false',
      'mcp-param-inner': '=?base64?c8O8ZA==?=',
    });
  });

  test('a tool whose headers cannot be sent is left out, with a warning that names it and says why', async () => {
    verifies('HTTP-095', 'HTTP-096', 'TOOL-78', 'TOOL-79');
    const bad = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'a b' } } };
    const tools = [
      { name: 'bad', inputSchema: bad },
      { name: 'good', inputSchema: { type: 'object' } },
    ];
    const web = new FakeWeb(
      stateless((asked) => json(result(asked, { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }))),
    );
    const warnings: string[] = [];
    await using client = await opened(web, { warnings });
    expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['good']);
    expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['good']);
    expect(warnings).toEqual(['Tool "bad" is left out: x-mcp-header of "a" must be an HTTP field name']);
  });

  test('a list of a thousand tools whose headers cannot be sent fills no log', async () => {
    const bad = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'a b' } } };
    const tools = Array.from({ length: 1_000 }, (_, i) => ({ name: `bad${i}`, inputSchema: bad }));
    const web = new FakeWeb(
      stateless((asked) => json(result(asked, { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }))),
    );
    const warnings: string[] = [];
    await using client = await opened(web, { warnings });
    expect(await client.list('tools').all()).toEqual([]);
    expect(warnings).toHaveLength(11);
    expect(warnings.at(-1)).toBe('More warnings about tools/list are left out');
  });

  test('an argument that a tool no longer marks is no longer repeated', async () => {
    verifies('HTTP-105');
    const marks: unknown[] = ['A', undefined, 'A', 'a b'];
    const web = new FakeWeb(
      stateless((asked) => {
        if (asked.body['method'] !== 'tools/list') return json(result(asked, text('hi')));
        const a = { type: 'string', 'x-mcp-header': marks[web.with('tools/list').length - 1] };
        const inputSchema = { type: 'object', properties: { a } };
        return json(result(asked, { resultType: 'complete', tools: [{ name: 't', inputSchema }] }));
      }),
    );
    await using client = await opened(web);
    for (const _ of marks) {
      await client.list('tools', { fresh: true }).all();
      await client.call('t', { a: 'v' });
    }
    expect(web.with('tools/call').map(({ headers }) => headers['mcp-param-a'])).toEqual([
      'v',
      undefined,
      'v',
      undefined,
    ]);
  });

  test('after a header mismatch, the tools are listed again and the call is repeated with the new headers', async () => {
    verifies('HTTP-104', 'TOOL-85');
    const inputSchema = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } } };
    const web = new FakeWeb(
      stateless((asked) => {
        if (asked.body['method'] === 'tools/list') {
          const cursor = (asked.body['params'] as { cursor?: string }).cursor; // as the line wrote it
          return json(
            result(asked, {
              resultType: 'complete',
              tools: cursor === 'x' ? [{ name: 't', inputSchema }] : [],
              ...(cursor === undefined ? { nextCursor: 'x' } : {}),
            }),
          );
        }
        return asked.headers['mcp-param-a'] === 'v'
          ? json(result(asked, text('hi')))
          : json(failed(asked, -32020), { status: 400 });
      }),
    );
    await using client = await opened(web);
    expect((await client.call('t', { a: 'v' })).text).toBe('hi');
    expect(web.asked.map(({ body }) => body['method'])).toEqual([
      'server/discover',
      'tools/call',
      'tools/list',
      'tools/list',
      'tools/call',
    ]);
    await expect(client.call('other', { a: 'v' })).rejects.toMatchObject({ code: -32020 });
    expect(web.with('tools/call')).toHaveLength(3);
  });
});

test('after a header mismatch, a cursor of more than 64 Ki characters is not sent back', async () => {
  const web = new FakeWeb(
    stateless((asked) =>
      asked.body['method'] === 'tools/list'
        ? json(result(asked, { resultType: 'complete', tools: [], nextCursor: 'x'.repeat(65_537) }))
        : json(failed(asked, -32020), { status: 400 }),
    ),
  );
  await using client = await opened(web);
  await expect(client.call('t', { a: 'v' })).rejects.toMatchObject({ code: -32020 });
  expect(web.with('tools/list')).toHaveLength(1);
});

describe('what comes back', () => {
  test('a response arrives as JSON, or on a stream after its notifications', async () => {
    verifies('HTTP-018');
    const web = new FakeWeb(
      stateless((asked) => {
        if (web.with('tools/call').length === 1)
          return json(result(asked, text('json')), { headers: { 'content-type': 'Application/JSON; charset=utf-8' } });
        const said = [progress(tokenOf(asked), 1), progress('foreign', 5), progress(tokenOf(asked), 2)].map((one) =>
          event(one),
        );
        return stream(
          ': alive\n\n',
          ...said,
          'event: other\ndata: {}\n\n',
          'data: no json\n\n',
          event({ jsonrpc: '2.0', id: 999, result: {} }),
          event(result(asked, text('stream'))),
          event(result(asked, text('late'))),
        );
      }),
    );
    await using client = await opened(web);
    expect((await client.call('t')).text).toBe('json');
    const seen: number[] = [];
    expect((await client.call('t', {}, { onProgress: ({ progress: at }) => seen.push(at) })).text).toBe('stream');
    expect(seen).toEqual([1, 2]);
  });

  test.each(['application/json', 'text/event-stream'])('a response can arrive byte by byte: %s', async (type) => {
    verifies('BASE-002');
    const web = new FakeWeb(
      stateless((asked) => {
        const answer = result(asked, text('größer 🌊'));
        const bytes = new TextEncoder().encode(type === 'application/json' ? JSON.stringify(answer) : event(answer));
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        });
        return new Response(body, { headers: { 'content-type': type } });
      }),
    );
    await using client = await opened(web);
    expect((await client.call('t')).text).toBe('größer 🌊');
  });

  test('a JSON-RPC error is a response, whatever its status', async () => {
    const web = new FakeWeb(stateless((asked) => json(failed(asked, -32601, 'No such method'), { status: 404 })));
    await using client = await opened(web);
    await expect(client.request('x/y')).rejects.toMatchObject({ name: 'RpcError', code: -32601 });
    expect(web.with('x/y')).toHaveLength(1);
  });

  test.each<[string, () => Response, object]>([
    [
      'a page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      { code: 'MCP_HTTP_UNEXPECTED', kind: 'http' },
    ],
    ['no type', () => new Response(new Uint8Array([1])), { code: 'MCP_HTTP_UNEXPECTED' }],
    ['nothing', () => status(202), { code: 'MCP_HTTP_UNEXPECTED' }],
    [
      'broken JSON',
      () => new Response('{', { headers: { 'content-type': 'application/json' } }),
      { code: 'MCP_BAD_RESULT' },
    ],
    [
      'bytes that are no text',
      () => new Response(new Uint8Array([0x22, 0xff, 0x22]), { headers: { 'content-type': 'application/json' } }),
      { code: 'MCP_BAD_RESULT' },
    ],
    ['the answer to another request', () => json({ jsonrpc: '2.0', id: 999, result: {} }), { code: 'MCP_BAD_RESULT' }],
    [
      'a refusal',
      () => status(418, {}, 'I am a\u001b[31m teapot'),
      { code: 'MCP_HTTP_REFUSED', message: expect.stringContaining('418 (I am a\\u001b[31m teapot)') },
    ],
    ['a failure', () => status(500, {}, 'Oops'), { code: 'MCP_HTTP_FAILED', kind: 'offline' }],
    [
      'a stream that ends',
      () => stream(event({ jsonrpc: '2.0', method: 'notifications/message', params: {} })),
      { code: 'MCP_OUTCOME_UNKNOWN' },
    ],
  ])('a response that is %s gets a fitting error', async (_, answer, error) => {
    const web = new FakeWeb(stateless((asked) => (asked.body['method'] === 'tools/call' ? answer() : status(404))));
    await using client = await opened(web);
    const thrown = await client.call('t').catch((reason: unknown) => reason);
    expect(thrown).toMatchObject(error);
    if (thrown instanceof McpError && thrown.kind === 'http')
      expect(thrown.message).toContain('https://a.example/mcp ');
    expect(String(thrown)).not.toContain('tenant');
  });

  test('after a broken stream, only repeatable requests are repeated, with another id', async () => {
    verifies('HTTP-055');
    const web = new FakeWeb(
      stateless((asked) => {
        const first = web.with(String(asked.body['method'])).length === 1;
        return first ? stream(event('', '1')) : json(result(asked, { ...text('hi'), contents: [] }));
      }),
    );
    await using client = await opened(web);
    await client.read('a:b');
    const [one, two] = web.with('resources/read');
    expect(two?.body['id']).not.toBe(one?.body['id']);
    expect(web.with('GET')).toEqual([]);
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
    expect(web.with('tools/call')).toHaveLength(1);
  });

  test('a request of the server gets no response', async () => {
    verifies('HTTP-013');
    const web = new FakeWeb(
      stateless((asked) => stream(event({ jsonrpc: '2.0', id: 1, method: 'ping' }), event(result(asked, text('hi'))))),
    );
    const warnings: string[] = [];
    await using client = await opened(web, { warnings });
    await client.call('t');
    await settled();
    expect(web.asked).toHaveLength(2);
    expect(warnings).toEqual([expect.stringContaining('which its revision forbids')]);
  });
});

describe('calling off', () => {
  test('a request is cancelled by closing its connection, and no notification is sent', async () => {
    verifies('CANCEL-013', 'LIFE-022');
    const open = new OpenStream();
    const web = new FakeWeb(stateless(() => open.response));
    await using client = await opened(web);
    const control = new AbortController();
    const call = client.call('t', {}, { signal: control.signal });
    await settled();
    control.abort();
    await expect(call).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    await settled();
    expect(web.asked[1]?.signal.aborted).toBe(true);
    expect(web.asked).toHaveLength(2);
  });

  test('a subscription ends by closing its connection, and is reopened when its stream breaks', async () => {
    verifies('SUBS-014', 'SUBS-016');
    const clock = virtualClock();
    const streams: OpenStream[] = [];
    const web = new FakeWeb(
      stateless((asked) => {
        const tag = { _meta: { 'io.modelcontextprotocol/subscriptionId': asked.body['id'] } };
        const granted = {
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: { toolsListChanged: true }, ...tag },
        };
        const open = new OpenStream(
          event(granted),
          event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: tag }),
        );
        streams.push(open);
        return open.response;
      }),
    );
    await using client = await opened(web, { clock });
    const control = new AbortController();
    const watch = client.watch({ tools: true }, { signal: control.signal });
    expect(await watch.granted).toEqual({ toolsListChanged: true });
    streams[0]?.cut();
    await clock.advance(500);
    expect(streams).toHaveLength(1);
    await clock.advance(1_500);
    expect(streams).toHaveLength(2);
    control.abort();
    await settled();
    expect(web.with('subscriptions/listen')[1]?.signal.aborted).toBe(true);
  });

  test('a subscription that breaks again and again is given up', async () => {
    const clock = virtualClock();
    const web = new FakeWeb(stateless(() => stream()));
    await using client = await opened(web, { clock });
    const watch = client.watch({ tools: true });
    const outcome = watch.granted.catch((error: unknown) => error);
    await clock.advance(300_000);
    expect(await outcome).toMatchObject({ kind: 'offline' });
    expect(web.with('subscriptions/listen')).toHaveLength(6);
  });

  test('a stream that stays open after its response is closed', async () => {
    const clock = virtualClock();
    const web = new FakeWeb(stateless((asked) => new OpenStream(event(result(asked, text('hi')))).response));
    await using client = await opened(web, { clock });
    await client.call('t');
    expect(web.asked[1]?.signal.aborted).toBe(false);
    await clock.advance(1_000);
    expect(web.asked[1]?.signal.aborted).toBe(true);
  });

  test('closing rejects open requests', async () => {
    const web = new FakeWeb(stateless(() => new OpenStream().response));
    const client = await opened(web);
    const call = client.call('t').catch((error: unknown) => error);
    await settled();
    await client.close();
    expect(await call).toMatchObject({ code: 'MCP_CLOSED' });
    expect(web.with('DELETE')).toEqual([]);
  });
});
