/** Headers through a gateway: those of callers are checked against the body, and those for upstreams are written from the rewritten body. */
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { createGateway, type Gateway, gatewayRules } from '../../src/gateway/index.ts';
import { createServer, type Server, tool } from '../../src/index.ts';
import { type HttpListener, nodeHandler, serveHttp } from '../../src/transport/node.ts';
import { verifies } from '../support/verifies.ts';

const [STATELESS, SESSIONS] = ['2026-07-28', '2025-11-25'];

const marked = (header: string): object => ({
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': header },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    note: { type: 'string' },
  },
});

/** An HTTP server that records the headers of all requests. */
async function recording(
  server: Server,
): Promise<{ readonly url: string; readonly seen: IncomingHttpHeaders[]; close(): void }> {
  const seen: IncomingHttpHeaders[] = [];
  const handler = nodeHandler(server);
  const http = createHttpServer((request, response) => {
    seen.push(request.headers);
    handler(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo; // it listens on a port
  const close = (): void => {
    http.closeAllConnections();
    http.close();
  };
  return { url: `http://127.0.0.1:${port}/mcp`, seen, close };
}

const shop = (): Server =>
  createServer({
    name: 'shop',
    version: '1',
    parts: [
      tool({
        name: 'find',
        description: 'Finds',
        input: { ...marked('Region') },
        run: ({ region }) => `in ${String(region)}`,
      }),
      tool({ name: 'secret', description: 'Not for all', run: () => 'secret' }),
    ],
  }) as Server; // its types are not needed here

let upstream: Awaited<ReturnType<typeof recording>>;
let gateway: Gateway;
let front: HttpListener;

beforeAll(async () => {
  upstream = await recording(shop());
  gateway = createGateway({
    name: 'acme',
    version: '1',
    upstreams: { shop: { url: upstream.url } },
    policy: [gatewayRules.deny({ name: 'secret' }), gatewayRules.allow({})],
    onWarning: () => undefined,
  });
  front = await serveHttp(gateway, { port: 0 });
});
afterAll(async () => {
  await gateway.close();
  await front.close();
  upstream.close();
});

/** Headers of the calls to the upstream. The gateway can list and listen at any time. */
const callsTo = ({ seen }: typeof upstream): IncomingHttpHeaders[] =>
  seen.filter((headers) => headers['mcp-method'] === 'tools/call');
const lastCall = (server = upstream): IncomingHttpHeaders => callsTo(server).at(-1) ?? {};

const ours = (headers: IncomingHttpHeaders): object =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('mcp-')));

test('a call goes upstream with the headers that a client of the upstream writes for the rewritten body, in the base64 form where it takes one', async () => {
  const args = { region: 'Zürich', count: 3, note: 'none' };
  await using direct = await connect(upstream.url, { revisions: [STATELESS] });
  await direct.list('tools').all();
  await direct.call('find', args);
  const expected = lastCall();
  await using client = await connect(front.url, { revisions: [STATELESS] });
  await client.list('tools').all();
  expect((await client.call('shop__find', args)).text).toBe('in Zürich');
  const sent = lastCall();
  expect(ours(sent)).toEqual(ours(expected));
  expect(ours(sent)).toEqual({
    'mcp-protocol-version': STATELESS,
    'mcp-method': 'tools/call',
    'mcp-name': 'find',
    'mcp-param-region': '=?base64?WsO8cmljaA==?=',
    'mcp-param-count': '3',
  });
});

test('a call of a caller with a session goes to an upstream without one with the same headers', async () => {
  await using client = await connect(front.url, { revisions: [SESSIONS] });
  await client.call('shop__find', { region: 'eu', count: 1 });
  expect(ours(lastCall())).toEqual({
    'mcp-protocol-version': STATELESS,
    'mcp-method': 'tools/call',
    'mcp-name': 'find',
    'mcp-param-region': 'eu',
    'mcp-param-count': '1',
  });
});

interface RawCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

async function post({
  headers,
  body,
}: RawCall): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
  const accept = 'application/json, text/event-stream';
  const init = { method: 'POST', headers: { 'content-type': 'application/json', accept, ...headers } };
  const response = await fetch(front.url, { ...init, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const _meta = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
};
const call = (name: string, args: object = {}): object => ({
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta },
});
const headersFor = (name: string): Record<string, string> => ({
  'mcp-protocol-version': STATELESS,
  'mcp-method': 'tools/call',
  'mcp-name': name,
});

test.each<[string, Record<string, string>]>([
  ['Mcp-Name', { 'mcp-name': 'find' }],
  ['Mcp-Method', { 'mcp-method': 'tools/list' }],
  ['MCP-Protocol-Version', { 'mcp-protocol-version': SESSIONS }],
  ['Mcp-Param-Region', { 'mcp-param-region': 'us' }],
])(
  'a header %s unlike the body is rejected with 400 and −32020, by the names that callers see, and nothing goes upstream',
  async (_, wrong) => {
    verifies('HTTP-111');
    const before = callsTo(upstream).length;
    const headers = { ...headersFor('shop__find'), 'mcp-param-region': 'eu', 'mcp-param-count': '1', ...wrong };
    const { status, text } = await post({ headers, body: call('shop__find', { region: 'eu', count: 1 }) });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32020 } });
    expect(callsTo(upstream).length).toBe(before);
  },
);

test('no header of a caller reaches an upstream, known or not', async () => {
  const own = {
    authorization: 'Bearer caller',
    cookie: 'a=b',
    'x-forwarded-for': '10.0.0.1',
    'last-event-id': '7',
    'x-own': 'x',
  };
  const headers = { ...headersFor('shop__find'), 'mcp-param-region': 'eu', 'mcp-param-count': '1', ...own };
  const { status } = await post({ headers, body: call('shop__find', { region: 'eu', count: 1 }) });
  expect(status).toBe(200);
  const sent = lastCall();
  for (const name of Object.keys(own)) expect(sent[name]).toBeUndefined();
  expect(JSON.stringify(sent)).not.toContain('Bearer caller');
});

test('a header Mcp-Param-* that the gateway does not know yet reaches the upstream that asks for it', async () => {
  verifies('HTTP-110');
  // The server gets a tool with a header parameter, which the gateway has not listed when the call arrives.
  const server = createServer({
    name: 'late',
    version: '1',
    parts: [tool({ name: 'a', description: 'A', run: () => 'a' })],
  });
  const late = await recording(server as Server);
  const behind = createGateway({
    name: 'acme',
    version: '1',
    upstreams: { late: { url: late.url } },
    onWarning: () => undefined,
  });
  const listener = await serveHttp(behind, { port: 0 });
  try {
    await using client = await connect(listener.url, { revisions: [STATELESS] });
    await client.call('late__a');
    server.add(
      tool({ name: 'b', description: 'B', input: { ...marked('Region') }, run: ({ region }) => String(region) }),
    );
    const headers = { ...headersFor('late__b'), 'mcp-param-region': 'eu' };
    const accept = 'application/json, text/event-stream';
    const response = await fetch(listener.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...call('late__b', { region: 'eu' }) }),
    });
    expect(await response.text()).toContain('"text":"eu"');
    expect(lastCall(late)).toMatchObject({ 'mcp-name': 'b', 'mcp-param-region': 'eu' });
  } finally {
    await behind.close();
    await listener.close();
    late.close();
  }
});

test('rules decide by the body: in a revision whose headers are not checked, a header that names another tool changes nothing', async () => {
  verifies('HTTP-112');
  const params = { protocolVersion: SESSIONS, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const opened = await post({ headers: {}, body: { id: 1, method: 'initialize', params } });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': SESSIONS };
  await post({ headers: session, body: { method: 'notifications/initialized' } });
  const ask = (name: string, claimed: string): ReturnType<typeof post> =>
    post({
      headers: { ...session, 'mcp-method': 'tools/list', 'mcp-name': claimed, 'mcp-param-region': 'us' },
      body: { id: 2, method: 'tools/call', params: { name, arguments: { region: 'eu', count: 1 } } },
    });
  expect((await ask('shop__secret', 'shop__find')).text).toContain('Unknown tool: shop__secret');
  expect((await ask('shop__find', 'shop__secret')).text).toContain('in eu');
  expect(lastCall()).toMatchObject({ 'mcp-name': 'find', 'mcp-param-region': 'eu' });
});
