import { describe, expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { errorOf, note, request, stateless } from '../../../test/support/http-messages.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError } from '../../errors.ts';
import { type Context, createServer, type Layer, tool, use } from '../../index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { encodeHeader } from '../../model/header-value.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION } from '../../model/names.ts';
import { fetchHandler } from './fetch.ts';
import { HttpService } from './service.ts';

const echo = { name: 'echo', arguments: { message: 'hi' } };

function serve(): ReturnType<typeof port> & { service: HttpService } {
  const made = port();
  return { ...made, service: new HttpService(made.server, {}) };
}

describe('a lone answer', () => {
  test('a response without other messages is JSON', async () => {
    verifies('HTTP-002', 'HTTP-017');
    const reply = await knock(serve().service, stateless('tools/call', echo));
    expect(reply.status).toBe(200);
    expect(reply.headers).toEqual({ 'Content-Type': 'application/json' });
    expect(reply.json['result']).toMatchObject({ content: [{ text: 'hi' }] });
  });

  test('a response is an event for a client that accepts only streams', async () => {
    const reply = await knock(serve().service, stateless('tools/call', echo, { accept: 'text/event-stream' }));
    expect(reply.headers['Content-Type']).toBe('text/event-stream');
    expect(reply.sink?.messages).toMatchObject([{ id: 'it', result: { content: [{ text: 'hi' }] } }]);
    expect(reply.sink?.ended).toBe(true);
  });
});

test('the error that a layer of the server throws is the response, with its code', async () => {
  const layer: Layer = () => () => Promise.reject(new RpcError(-32602, 'No such order'));
  const reply = await knock(new HttpService(use(port().server, layer), {}), stateless('tools/call', echo));
  expect(reply.json).toMatchObject({ id: 'it', error: { code: -32602, message: 'No such order' } });
});

describe('a layer that replaces a request', () => {
  const tools = [
    tool({ name: 'who', run: (_input, { caller }) => String(caller.info?.name) }),
    tool({ name: 'secret', scopes: ['admin'], run: () => 'secret' }),
  ];
  const service = (layer: Layer): HttpService =>
    new HttpService(use(createServer({ name: 's', version: '1', parts: tools }), layer), {
      auth: () => ({ subject: 'ada', scopes: [] }),
    });

  test('a handler gets the client of the request that the layer passed on', async () => {
    const layer: Layer = (next) => (message, link) => {
      if (!('method' in message) || message.method !== 'tools/call') return next(message, link);
      const meta = { ...(message.params?.['_meta'] as JsonObject), [CLIENT_INFO]: { name: 'other', version: '1' } }; // a stateless request has it
      return next({ ...message, params: { ...message.params, _meta: meta } }, link);
    };
    const reply = await knock(service(layer), stateless('tools/call', { name: 'who', arguments: {} }));
    expect(reply.json['result']).toMatchObject({ content: [{ text: 'other' }] });
  });

  test('the scopes of the request that the layer passed on are checked', async () => {
    const layer: Layer = (next) => (message, link) =>
      next('method' in message ? { ...message, params: { ...message.params, name: 'secret' } } : message, link);
    const reply = await knock(service(layer), stateless('tools/call', { name: 'who', arguments: {} }));
    expect(JSON.stringify(reply.json)).not.toContain('"text":"secret"');
    expect(reply.json['error']).toBeDefined();
  });
});

describe('the first notification', () => {
  test('the first notification turns the response into a stream, which ends with the response', async () => {
    verifies('HTTP-017', 'HTTP-027', 'HTTP-113');
    const params = { name: 'count', arguments: { to: 3 }, _meta: { progressToken: 't' } };
    const reply = await knock(serve().service, stateless('tools/call', params));
    expect(reply.headers).toMatchObject({
      'Content-Type': 'text/event-stream',
      'X-Accel-Buffering': 'no',
      'Cache-Control': 'no-cache, no-transform',
    });
    expect(reply.sink?.messages.map((message) => message['method'] ?? 'answer')).toEqual([
      ...Array.from({ length: 3 }, () => 'notifications/progress'),
      'answer',
    ]);
    expect(reply.sink?.events.every(({ id }) => id === undefined)).toBe(true);
    expect(reply.sink?.ended).toBe(true);
  });

  test('a stream has only the messages of its own request', async () => {
    verifies('HTTP-023');
    const { service, server, go } = serve();
    const wait = (progressToken: string): ReturnType<typeof started> =>
      started(service, stateless('tools/call', { name: 'wait', _meta: { progressToken } }));
    const [one, other] = [wait('one'), wait('other')];
    await settled();
    await knock(
      service,
      stateless('tools/call', { name: 'count', arguments: { to: 2 }, _meta: { progressToken: 't' } }),
    );
    server.add(tool({ name: 'more', run: () => '' }));
    await settled();
    go();
    await Promise.all([one.done, other.done]);
    const said = ({ reply }: typeof one): unknown[] =>
      (reply.sink?.messages ?? []).map(({ method, params }) => [method, (params as JsonObject)?.['progressToken']]);
    const progress = 'notifications/progress';
    for (const [call, token] of [[one, 'one'] as const, [other, 'other'] as const]) {
      expect(said(call)).toEqual([
        [progress, token],
        [progress, token],
        [undefined, undefined],
      ]);
    }
  });

  test('a tool that asks a question sends no request on its stream: the question is part of the result', async () => {
    verifies('HTTP-024');
    const _meta = { [CLIENT_CAPABILITIES]: { elicitation: { form: {} } } };
    const sure = stateless('tools/call', { name: 'sure', _meta }, { accept: 'text/event-stream' });
    const reply = await knock(serve().service, sure);
    const messages = reply.sink?.messages ?? [];
    expect(messages.at(-1)).toMatchObject({ id: 'it', result: { resultType: 'input_required' } });
    expect(messages.filter((message) => 'method' in message && 'id' in message)).toEqual([]);
  });

  test('notifications are omitted for a client that accepts only JSON', async () => {
    const params = { name: 'count', arguments: { to: 3 }, _meta: { progressToken: 't' } };
    const reply = await knock(serve().service, stateless('tools/call', params, { accept: 'application/json' }));
    expect(reply.json['result']).toMatchObject({ content: [{ text: 'counted to 3' }] });
  });
});

describe('the ladder', () => {
  const body = (method: string, params: JsonObject): JsonObject => request('it', method, params);
  const list = stateless('tools/list');
  const refused: [string, { headers: Record<string, string | undefined>; body: JsonObject }, number, number][] = [
    ['no version header', stateless('tools/list', {}, { 'mcp-protocol-version': undefined }), 400, -32020],
    ['another version header', stateless('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }), 400, -32020],
    ['another version in the body', stateless('tools/list', { _meta: { [PROTOCOL_VERSION]: 'v9' } }), 400, -32020],
    [
      'a version that is not supported',
      stateless('tools/list', { _meta: { [PROTOCOL_VERSION]: 'v9' } }, { 'mcp-protocol-version': 'v9' }),
      400,
      -32022,
    ],
    [
      'a version with a handshake',
      stateless('x', { _meta: { [PROTOCOL_VERSION]: '2025-11-25' } }, { 'mcp-protocol-version': '2025-11-25' }),
      400,
      -32022,
    ],
    ['a version that is no text', stateless('tools/list', { _meta: { [PROTOCOL_VERSION]: 7 } }), 400, -32602],
    ['no version in the body', { ...list, body: body('tools/list', { _meta: {} }) }, 400, -32602],
    ['no _meta', { ...list, body: body('server/discover', {}) }, 400, -32602],
    ['no params', { ...list, body: request('it', 'server/discover') }, 400, -32602],
    ['no capabilities', stateless('tools/list', { _meta: { [CLIENT_CAPABILITIES]: undefined } }), 400, -32602],
    [
      'no capabilities, before Mcp-Method is looked at',
      stateless('tools/list', { _meta: { [CLIENT_CAPABILITIES]: undefined } }, { 'mcp-method': 'x' }),
      400,
      -32602,
    ],
    ['no Mcp-Method', stateless('tools/list', {}, { 'mcp-method': undefined }), 400, -32020],
    ['another Mcp-Method', stateless('tools/list', {}, { 'mcp-method': 'tools/call' }), 400, -32020],
    ['an Mcp-Method in capitals', stateless('tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }), 400, -32020],
    ['two of them', stateless('tools/list', {}, { 'mcp-method': 'tools/list, tools/list' }), 400, -32020],
    ['a wrong Mcp-Method before an unknown method', stateless('no/such', {}, { 'mcp-method': 'x' }), 400, -32020],
    ['an unknown method', stateless('no/such'), 404, -32601],
    ['an unknown method before Mcp-Name', stateless('no/such', { name: 'a' }, { 'mcp-name': 'b' }), 404, -32601],
    ['no Mcp-Name', stateless('tools/call', echo, { 'mcp-name': undefined }), 400, -32020],
    ['another Mcp-Name', stateless('tools/call', echo, { 'mcp-name': 'Echo' }), 400, -32020],
    ['another Mcp-Name of a resource', stateless('resources/read', { uri: 'a:b' }, { 'mcp-name': 'a:c' }), 400, -32020],
    ['an Mcp-Name that no header may hold', stateless('tools/call', echo, { 'mcp-name': 'é' }), 400, -32020],
    ...['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].map(
      (method): (typeof refused)[number] => [`${method}, which is gone`, stateless(method), 404, -32601],
    ),
  ];

  test.each(refused)('%s', async (_what, sent, status, code) => {
    verifies('HTTP-073', 'HTTP-074', 'HTTP-075', 'HTTP-077', 'HTTP-083', 'HTTP-084', 'LIFE-030', 'PING-010');
    const { service, ran } = serve();
    const reply = await knock(service, sent);
    expect(errorOf(reply)).toEqual([status, code]);
    expect(reply.json['id']).toBe('it');
    expect(ran()).toBe(0);
  });

  test('the error for an unsupported version names those that are supported', async () => {
    verifies('HTTP-074');
    const sent = stateless('tools/list', { _meta: { [PROTOCOL_VERSION]: 'v9' } }, { 'mcp-protocol-version': 'v9' });
    const reply = await knock(serve().service, sent);
    expect(reply.json.error?.data).toMatchObject({
      requested: 'v9',
      supported: expect.arrayContaining(['2026-07-28']),
    });
  });

  test('a missing client capability sets the HTTP status', async () => {
    verifies('LIFE-033');
    const ask = tool({ name: 'ask', run: async (_input, ctx) => String(await ctx.confirm('sure', 'Sure?')) });
    const server = createServer({ name: 'asking', version: '1', parts: [ask] });
    const reply = await knock(new HttpService(server, {}), stateless('tools/call', { name: 'ask' }));
    expect(errorOf(reply)).toEqual([400, -32021]);
    expect(reply.json.error?.data).toEqual({ requiredCapabilities: { elicitation: { form: {} } } });
    const streamed = stateless('tools/call', { name: 'ask' }, { accept: 'text/event-stream' });
    expect(errorOf(await knock(new HttpService(server, {}), streamed))).toEqual([400, -32021]);
  });

  test('a client capability that is found missing after the stream has begun is reported by the last event', async () => {
    const run = async (_input: unknown, ctx: Context): Promise<string> => {
      ctx.progress(1);
      return String(await ctx.confirm('sure', 'Sure?'));
    };
    const server = createServer({ name: 'asking', version: '1', parts: [tool({ name: 'ask', run })] });
    const sent = stateless('tools/call', { name: 'ask', _meta: { progressToken: 1 } });
    const reply = await knock(new HttpService(server, {}), sent);
    expect(reply.status).toBe(200);
    expect(reply.sink?.messages.at(-1)).toMatchObject({ id: 'it', error: { code: -32021 } });
    expect(reply.sink?.ended).toBe(true);
  });

  test('an error of the handler is a response with status 200', async () => {
    const reply = await knock(serve().service, stateless('tools/call', { name: 'missing' }));
    expect(errorOf(reply)).toEqual([200, -32602]);
  });

  test('the Mcp-Name header can be encoded', async () => {
    verifies('HTTP-085');
    const sent = stateless('tools/call', echo, { 'mcp-name': '=?base64?ZWNobw==?=' });
    expect((await knock(serve().service, sent)).status).toBe(200);
  });
});

test.each([
  ['eu', 200],
  ['EU', 400],
])('header names are case-insensitive, and their values are not: %s gets %i', async (region, status) => {
  verifies('HTTP-082');
  const { headers, body } = stateless('tools/call', { name: 'route', arguments: { region: 'eu' } });
  const shouted = Object.entries(headers).map(([name, value]): [string, string] => [name.toUpperCase(), value ?? '']);
  const handler = fetchHandler(port().server, {});
  const sent = [...shouted, ['CONTENT-TYPE', 'application/json'], ['mCp-PaRaM-ReGiOn', region]] as [string, string][];
  const web = new Request('http://localhost/mcp', { method: 'POST', headers: sent, body: JSON.stringify(body) });
  expect((await handler(web)).status).toBe(status);
  // The server looks up header names in lower case, however they were configured or declared.
  const reply = await knock(serve().service, { headers: { ...headers, 'mcp-param-region': region }, body });
  expect(reply.status).toBe(status);
});

describe('arguments in headers', () => {
  const route = (args: JsonObject, headers: Record<string, string>): ReturnType<typeof stateless> =>
    stateless('tools/call', { name: 'route', arguments: args }, headers);

  test.each<[JsonObject, Record<string, string>]>([
    [{}, {}],
    [{ region: null }, {}],
    [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [{ region: '' }, { 'mcp-param-region': '' }],
    [{ region: 'Zürich' }, { 'mcp-param-region': encodeHeader('Zürich') }],
    [{ zone: 42 }, { 'mcp-param-zone': '42.0' }],
    [{ zone: -7 }, { 'mcp-param-zone': '-7' }],
    [{ zone: Number.MAX_SAFE_INTEGER }, { 'mcp-param-zone': '9007199254740991' }],
    [{ zone: Number.MIN_SAFE_INTEGER }, { 'mcp-param-zone': '-9007199254740991' }],
    [{ fast: false }, { 'mcp-param-fast': 'false' }],
    [{}, { 'mcp-param-unknown': 'x' }],
  ])('the arguments %j match the headers %j', async (args, headers) => {
    verifies('HTTP-085', 'HTTP-086', 'HTTP-108', 'TOOL-84');
    const reply = await knock(serve().service, route(args, headers));
    expect(reply.status).toBe(200);
  });

  test.each<[JsonObject, Record<string, string>]>([
    [{ region: 'eu' }, {}],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
    [{ region: 'eu' }, { 'mcp-param-region': 'EU' }],
    [{ region: 'eu' }, { 'mcp-param-region': 'eu, eu' }],
    [{}, { 'mcp-param-region': 'eu' }],
    [{ region: 'Zürich' }, { 'mcp-param-region': 'Zürich' }],
    [{ region: 'Zürich' }, { 'mcp-param-region': '=?BASE64?WsO8cmljaA==?=' }],
    [{ zone: 42 }, { 'mcp-param-zone': '0x2a' }],
    [{ zone: 42 }, { 'mcp-param-zone': '43' }],
    [{ zone: 2 ** 53 }, { 'mcp-param-zone': '9007199254740992' }],
    [{ zone: -(2 ** 53) }, { 'mcp-param-zone': '-9007199254740992' }],
    [{ fast: true }, { 'mcp-param-fast': '1' }],
  ])('the arguments %j do not match the headers %j', async (args, headers) => {
    verifies('HTTP-083', 'HTTP-084', 'HTTP-092', 'HTTP-103', 'HTTP-106', 'HTTP-107', 'HTTP-109', 'TOOL-83');
    const { service, ran } = serve();
    expect(errorOf(await knock(service, route(args, headers)))).toEqual([400, -32020]);
    expect(ran()).toBe(0);
  });
});

describe('what is not a request', () => {
  const headers = { 'mcp-protocol-version': '2026-07-28' };

  test('a notification gets 202, and cancels nothing', async () => {
    verifies('HTTP-015');
    const { service, go } = serve();
    const waiting = started(service, stateless('tools/call', { name: 'wait' }));
    await settled();
    const reply = await knock(service, { headers, body: note('notifications/cancelled', { requestId: 'it' }) });
    expect([reply.status, reply.body]).toEqual([202, undefined]);
    go();
    await waiting.done;
    expect(waiting.reply.json['result']).toMatchObject({ content: [{ text: 'went on' }] });
  });

  test('a response is rejected', async () => {
    verifies('HTTP-016');
    const reply = await knock(serve().service, { headers, body: { jsonrpc: '2.0', id: 1, result: {} } });
    expect(errorOf(reply)).toEqual([400, -32600]);
  });
});

describe('hanging up', () => {
  test('a disconnect cancels the request, and no further message is sent', async () => {
    verifies('HTTP-036', 'HTTP-037', 'HTTP-038', 'CANCEL-014');
    const { service, go, aborted } = serve();
    const { reply, done } = started(service, stateless('tools/call', { name: 'wait', _meta: { progressToken: 1 } }));
    await settled();
    const before = reply.sink?.text;
    expect(before).toContain('progress');
    reply.hangUp();
    expect(aborted).toEqual([expect.stringContaining('the client hung up')]);
    go();
    await done;
    expect(reply.sink?.text).toBe(before);
  });

  test('a disconnect before a stream was opened cancels the request', async () => {
    const { service, go, aborted } = serve();
    const { reply, done } = started(service, stateless('tools/call', { name: 'wait' }));
    await settled();
    reply.hangUp();
    expect(aborted).toHaveLength(1);
    go();
    await done;
    expect(reply.status).toBe(0);
  });

  test('a disconnect after the response has no effect', async () => {
    const { service, go, aborted } = serve();
    const { reply, done } = started(service, stateless('tools/call', { name: 'wait' }));
    await settled();
    go();
    await done;
    reply.hangUp();
    expect(aborted).toEqual([]);
  });

  test('a disconnect cancels only its own request, even if others have the same id', async () => {
    const { service, go, aborted } = serve();
    const [one, other] = [1, 2].map(() => started(service, stateless('tools/call', { name: 'wait' })));
    await settled();
    one?.reply.hangUp();
    expect(aborted).toHaveLength(1);
    go();
    await other?.done;
    expect(other?.reply.json['result']).toMatchObject({ content: [{ text: 'went on' }] });
  });
});

describe('news', () => {
  const listening = stateless('subscriptions/listen', { notifications: { toolsListChanged: true } });

  test('a subscription is streamed at once, and ends with a response when the server closes', async () => {
    verifies('SUBS-017');
    const { service, server } = serve();
    const { reply, done } = started(service, listening);
    await settled();
    expect([reply.status, reply.headers['Content-Type'], reply.sink?.ended]).toEqual([200, 'text/event-stream', false]);
    expect(reply.sink?.messages).toMatchObject([{ method: 'notifications/subscriptions/acknowledged' }]);
    server.add(tool({ name: 'more', run: () => '' }));
    await settled();
    expect(reply.sink?.messages.at(-1)).toMatchObject({ method: 'notifications/tools/list_changed' });
    await service.close(0);
    await done;
    expect(reply.sink?.messages.at(-1)).toMatchObject({ id: 'it', result: { resultType: 'complete' } });
    expect(reply.sink?.ended).toBe(true);
  });

  test('subscriptions do not count as calls', async () => {
    const made = port();
    const service = new HttpService(made.server, { maxCalls: 1 });
    for (let n = 0; n < 3; n++) started(service, listening);
    await settled();
    expect((await knock(service, stateless('tools/call', echo))).status).toBe(200);
  });

  test('a subscription needs a client that accepts streams', async () => {
    const sent = { ...listening, headers: { ...listening.headers, accept: 'application/json' } };
    expect((await knock(serve().service, sent)).status).toBe(400);
  });

  test('a subscription gets a keep-alive comment every fifteen seconds', async () => {
    verifies('HTTP-114');
    const clock = new HeldClock();
    const service = new HttpService(port().server, { clock });
    const { reply } = started(service, listening);
    await settled();
    await clock.pass(14_999);
    expect(reply.sink?.text).not.toContain('\n\n:');
    await clock.pass(30_001);
    expect(reply.sink?.text.split('\n:\n')).toHaveLength(4);
    reply.hangUp();
    await clock.pass(60_000);
    expect(reply.sink?.text.split('\n:\n')).toHaveLength(4);
  });

  test('a subscription is cut off if its client does not read', async () => {
    const { service, server } = serve();
    const { reply, done } = started(service, listening);
    await settled();
    if (reply.sink !== undefined) reply.sink.queued = 1024 * 1024 + 1;
    server.add(tool({ name: 'more', run: () => '' }));
    await settled();
    await done;
    expect(reply.sink?.wasCut).toBe(true);
  });
});
