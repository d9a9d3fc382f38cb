import { once } from 'node:events';
import { createServer, request as dial, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Port, port } from '../../../test/fixtures/port.ts';
import { call, note, request, stateless } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { codeOf, sourceFiles } from '../../../test/support/source.ts';
import { type ServerSpec, tool } from '../../index.ts';
import type { AuthRejection } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { LISTEN } from '../../model/names.ts';
import { type NodeHandlerOptions, nodeHandler } from '../node.ts';
import { fetchHandler } from './fetch.ts';
import { HttpRejection, type RejectionName, rejections } from './rejections.ts';

const PAGE = 'https://app.example';
/** The source lines that created rejections, from their stack traces. */
const reached = new Set<string>();

beforeAll(() => {
  for (const [name, row] of Object.entries(rejections)) {
    const get = (): typeof row => {
      const { stack = '' } = new Error('Where?');
      for (const [, site = ''] of stack.matchAll(/\/(src\/transport\/[\w/-]+\.ts:\d+):\d+/g)) reached.add(site);
      return row;
    };
    Object.defineProperty(rejections, name, { get, configurable: true, enumerable: true });
  }
  return () => {
    for (const [name, value] of Object.entries(rejections))
      Object.defineProperty(rejections, name, { value, configurable: true, enumerable: true, writable: true });
  };
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** The body as a framework has parsed it. */
  readonly parsed?: unknown;
}
interface Received {
  readonly status: number;
  header(name: string): string | undefined;
  text(): Promise<string>;
}
interface World extends Port {
  send(sent: Sent): Promise<Received>;
  /** Opens a session and returns its headers. */
  open(revision: string): Promise<Record<string, string>>;
  /** Only for `nodeHandler`: `httpHandler` is never closed. */
  close?(): void;
}
interface Case {
  readonly what: string;
  readonly sent: Sent | ((world: World) => Promise<Sent>);
  readonly options?: NodeHandlerOptions;
  readonly spec?: Partial<ServerSpec>;
  /** Paths, HTTP+SSE and closing exist only on Node. */
  readonly nodeOnly?: true;
  /** The expected CORS origin, for pages that get none and for documents that are public. */
  readonly allowed?: string | undefined;
}

const ada = (): AuthInfo => ({ subject: 'ada', scopes: [] });
const noCredentials = (): AuthRejection => ({ status: 401, wwwAuthenticate: 'Bearer' });
const ping = request(1, 'ping');
const meeting = { body: request(1, 'initialize', hello('2025-11-25')) };
const modern = { revisions: ['2026-07-28'] };
const sealed = { sessions: { sealed: [new Uint8Array(32)] } };
const none = { sessions: 'none' } as const;
const sse = { sse: '/sse', path: '/mcp' };
const atSse: Sent = { path: '/sse', method: 'GET' };
const guarded = stateless('tools/call', { name: 'guarded' });
const waiting = stateless('tools/call', { name: 'wait' });
const inSession =
  (more: Sent, revision = '2025-11-25') =>
  async (world: World) => ({
    ...more,
    headers: { ...(await world.open(revision)), ...more.headers },
  });
/** A request that is sent while an earlier one stays open. */
const after = (first: Sent, sent: Sent, ready?: (world: World) => boolean) => async (world: World) => {
  const sending = world.send(first).catch(() => undefined);
  if (ready === undefined) await sending;
  else await soon(() => expect(ready(world)).toBe(true));
  return sent;
};
const isWaiting = (world: World): boolean => world.ran() > 0;
const closing = (sent: Sent) => async (world: World) => {
  world.close?.();
  return sent;
};
/** Nested more deeply than a message can be. */
const deep = JSON.parse('['.repeat(300) + ']'.repeat(300)) as unknown;
const documents = new Map([['/.well-known/x', {}]]);

/** Every rejection. The compiler requires each name, and the last test each line that creates one. */
const cases: Record<RejectionName, readonly Case[]> = {
  target: [{ what: 'a target that is no path', sent: { path: '*', method: 'OPTIONS' }, nodeOnly: true }],
  path: [{ what: 'another path', sent: { path: '/other' }, options: { path: '/mcp' }, nodeOnly: true }],
  host: [{ what: 'a foreign Host', sent: { headers: { host: 'evil.example' } } }],
  origin: [
    { what: 'a page that was not named', sent: { headers: { origin: 'https://evil.example' } }, allowed: undefined },
  ],
  method: [
    { what: 'PUT', sent: { method: 'PUT' } },
    { what: 'OPTIONS that asks for nothing', sent: { method: 'OPTIONS' } },
    { what: 'GET where there are no sessions', sent: { method: 'GET' }, spec: modern },
    { what: 'DELETE where sessions are not kept', sent: { method: 'DELETE' }, options: sealed },
    { what: 'DELETE of HTTP+SSE', sent: { ...atSse, method: 'DELETE' }, options: sse, nodeOnly: true },
  ],
  documentMethod: [
    {
      what: 'writing a public document',
      sent: { path: '/.well-known/x', body: {} },
      options: { auth: Object.assign(ada, { documents }) },
      allowed: '*',
    },
  ],
  noSession: [{ what: 'DELETE without a session', sent: { method: 'DELETE' } }],
  credentials: [{ what: 'no credentials', sent: meeting, options: { auth: noCredentials } }],
  scopes: [{ what: 'a caller without the scopes', sent: guarded, options: { auth: ada } }],
  unverified: [{ what: 'scopes where callers are not verified', sent: guarded }],
  accept: [{ what: 'POST from a client that reads neither', sent: { ...meeting, headers: { accept: 'text/html' } } }],
  acceptStream: [
    {
      what: 'GET from a client that reads no streams',
      sent: inSession({ method: 'GET', headers: { accept: 'text/html' } }),
    },
    {
      what: 'GET of HTTP+SSE from such a client',
      sent: { ...atSse, headers: { accept: 'text/html' } },
      options: sse,
      nodeOnly: true,
    },
  ],
  mediaType: [{ what: 'a body of another type', sent: { headers: { 'content-type': 'text/plain' }, body: '{}' } }],
  bodySize: [
    { what: 'a body that says it is too large', sent: { body: '"long"' }, options: { maxBodyBytes: 3 } },
    {
      what: 'a body that turns out to be too large',
      sent: { body: '"long"', headers: { 'transfer-encoding': 'chunked' } },
      options: { maxBodyBytes: 3 },
    },
  ],
  bodyText: [
    { what: 'a body that is not UTF-8', sent: { body: Uint8Array.of(0x22, 0xff, 0x22) } },
    { what: 'a body that a framework parsed to any depth', sent: { body: ping, parsed: deep }, nodeOnly: true },
  ],
  message: [
    { what: 'JSON that is no message', sent: { body: '7' } },
    { what: 'a request without a method', sent: { body: { jsonrpc: '2.0', id: 1 } } },
    { what: 'a request of another version of JSON-RPC', sent: { body: { ...ping, jsonrpc: '1.0', error: {} } } },
    { what: 'a malformed response', sent: { body: { jsonrpc: '1.0', id: 1, result: {} } } },
    { what: 'a malformed error', sent: { body: { jsonrpc: '2.0', id: 1, error: 'no' } } },
  ],
  noBatches: [{ what: 'an array where there are no sessions', sent: { body: [ping] }, spec: modern }],
  batch: [{ what: 'an array in a session of a revision without', sent: inSession({ body: [ping] }) }],
  nothingAsked: [
    {
      what: 'an answer to nothing where no sessions are',
      sent: { body: { jsonrpc: '2.0', id: 1, result: {} } },
      options: none,
    },
    { what: 'an answer to nothing', sent: { body: { jsonrpc: '2.0', id: 1, result: {} } }, spec: modern },
  ],
  noVersion: [{ what: 'a request that claims no version', sent: { body: ping }, spec: modern }],
  request: [
    {
      what: 'headers that differ from the body',
      sent: { ...waiting, headers: { 'mcp-protocol-version': '2026-07-28' } },
    },
    { what: 'text that is no JSON', sent: { body: '{' } },
    { what: 'JSON that is too deep', sent: { body: '['.repeat(5_000) } },
  ],
  sessionMissing: [
    { what: 'a message without its session', sent: { body: ping } },
    { what: 'a message without its sealed session', sent: { body: ping }, options: sealed },
  ],
  sessionUnknown: [
    { what: 'a message in an unknown session', sent: { body: ping, headers: { 'mcp-session-id': 'x' } } },
    { what: 'GET in an unknown session', sent: { method: 'GET', headers: { 'mcp-session-id': 'x' } } },
    {
      what: 'a message in the session of another caller',
      sent: async (world) => ({ body: ping, headers: { ...(await world.open('2025-11-25')), authorization: 'eve' } }),
      options: { auth: ({ header }) => ({ subject: header('authorization') ?? 'ada', scopes: [] }) },
    },
  ],
  version: [
    {
      what: 'an unknown version in a session',
      sent: inSession({ body: ping, headers: { 'mcp-protocol-version': '1' } }),
    },
    {
      what: 'a version that no header names, where no sessions are',
      sent: { body: ping, headers: { 'mcp-protocol-version': '2024-11-05' } },
      options: none,
    },
  ],
  lastEventId: [
    { what: 'an event that is not kept', sent: inSession({ method: 'GET', headers: { 'last-event-id': 'x' } }) },
  ],
  sseSession: [
    { what: 'POST of HTTP+SSE without a session', sent: { path: '/sse', body: ping }, options: sse, nodeOnly: true },
  ],
  closing: [
    { what: 'a request while closing', sent: closing(meeting), nodeOnly: true },
    { what: 'GET while closing', sent: closing({ method: 'GET' }), nodeOnly: true },
    { what: 'GET of HTTP+SSE while closing', sent: closing(atSse), options: sse, nodeOnly: true },
  ],
  maxCalls: [{ what: 'too many calls in all', sent: after(waiting, waiting, isWaiting), options: { maxCalls: 1 } }],
  maxCallsPerSession: [
    {
      what: 'too many calls in one session',
      sent: async (world) => {
        const headers = await world.open('2025-11-25');
        return after({ headers, body: call(1, 'wait') }, { headers, body: ping }, isWaiting)(world);
      },
      options: { maxCallsPerSession: 1 },
    },
    {
      what: 'too many calls in one array',
      sent: inSession({ body: [ping, request(2, 'ping')] }, '2025-03-26'),
      options: { maxCallsPerSession: 1 },
    },
  ],
  maxSessions: [
    {
      what: 'too many streams of HTTP+SSE',
      sent: after(atSse, atSse),
      options: { ...sse, maxSessions: 1 },
      nodeOnly: true,
    },
  ],
  maxSessionsPerCaller: [
    {
      what: 'too many sessions of one caller, all in use',
      sent: async (world) => {
        const headers = await world.open('2025-11-25');
        return after({ headers, body: call(1, 'wait') }, meeting, isWaiting)(world);
      },
      options: { auth: ada, maxSessionsPerCaller: 1 },
    },
    {
      what: 'too many streams of HTTP+SSE of one caller',
      sent: after(atSse, atSse),
      options: { ...sse, auth: ada, maxSessionsPerCaller: 1 },
      nodeOnly: true,
    },
  ],
  maxListenersPerCaller: [
    {
      what: 'too many streams of changes of one caller',
      sent: after(stateless(LISTEN, { notifications: {} }), stateless(LISTEN, { notifications: {} })),
      options: { auth: ada, maxListenersPerCaller: 1 },
    },
  ],
  internal: [
    { what: 'an authenticator that fails', sent: meeting, options: { auth: () => Promise.reject(new Error('no')) } },
  ],
};

const usual = { host: 'localhost', accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const headersOf = (sent: Sent): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...usual, origin: PAGE, ...sent.headers }).filter(
      (one): one is [string, string] => one[1] !== undefined,
    ),
  );
const bodyOf = ({ body }: Sent): string | Uint8Array<ArrayBuffer> | undefined =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array
    ? (body as string | Uint8Array<ArrayBuffer> | undefined) // made here, of no shared memory
    : JSON.stringify(body);

type Sending = (made: Port, options: NodeHandlerOptions) => Promise<Pick<World, 'send' | 'close'>>;

const onNode: Sending = async (made, options) => {
  const handler = nodeHandler(made.server, options);
  let parsed: unknown;
  // The request of a framework that has read the body.
  const parse = async (asked: IncomingMessage): Promise<void> => {
    await asked.toArray();
    Object.assign(asked, { body: parsed });
  };
  const listener = createServer((asked, response) => {
    if (parsed === undefined) handler(asked, response);
    else void parse(asked).then(() => handler(asked, response));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    made.go();
    listener.close();
    listener.closeAllConnections();
  });
  await once(listener, 'listening');
  const { port: at } = listener.address() as AddressInfo; // it listens on a port
  const send = async (sent: Sent): Promise<Received> => {
    const { method = 'POST', path = '/mcp' } = sent;
    const asked = dial({ host: '127.0.0.1', port: at, method, path, headers: headersOf(sent), agent: false });
    parsed = sent.parsed;
    asked.end(bodyOf(sent));
    const [response] = (await once(asked, 'response')) as [IncomingMessage]; // as the event is documented
    return {
      status: response.statusCode ?? 0,
      header: (name) => response.headers[name]?.toString(),
      text: async () => Buffer.concat(await response.toArray()).toString(),
    };
  };
  return { send, close: () => void handler.close() };
};

const onFetch: Sending = async (made, options) => {
  const handler = fetchHandler(made.server, options);
  onTestFinished(() => made.go());
  const send = async (sent: Sent): Promise<Received> => {
    const { method = 'POST', path = '/mcp' } = sent;
    const body = method === 'POST' ? (bodyOf(sent) ?? null) : null;
    const { 'transfer-encoding': chunked, ...headers } = headersOf(sent);
    const size = body === null || chunked !== undefined ? {} : { 'content-length': String(body.length) };
    const web = new Request(`http://localhost${path}`, { method, headers: { ...headers, ...size }, body });
    const response = await handler(web);
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      text: () => response.text(),
    };
  };
  return { send };
};

async function world(sending: Sending, { options, spec }: Case): Promise<World> {
  const made = port(spec);
  made.server.add(tool({ name: 'guarded', scopes: ['admin'], run: () => '' }));
  const sent = await sending(made, { allowedOrigins: [PAGE], ...options });
  const open = async (revision: string): Promise<Record<string, string>> => {
    const met = await sent.send({ body: request(1, 'initialize', hello(revision)) });
    const headers = { 'mcp-session-id': met.header('mcp-session-id') ?? '' };
    await sent.send({ headers, body: note('notifications/initialized') });
    return headers;
  };
  return { ...made, ...sent, open };
}

/** Rejections before the body is read. */
const unread: ReadonlySet<RejectionName> = new Set<RejectionName>([
  ...(['host', 'origin', 'method', 'credentials', 'accept', 'mediaType', 'sseSession'] as const),
  'internal', // as an authenticator that fails is
]);
/** A rejection of a response does not repeat its id, which is that of a request of the server. */
const idOf = ({ body, parsed = body }: Sent): unknown => {
  const { id, method, result, error } = Object(parsed) as { [member: string]: unknown };
  return method === undefined && (result ?? error) !== undefined ? undefined : id;
};

const rows = Object.entries(cases).flatMap(([name, ways]) =>
  ways.flatMap((way) => [
    [way.what, 'node:http', name as RejectionName, onNode, way] as const, // a key of `cases`
    ...(way.nodeOnly === true ? [] : [[way.what, 'web requests', name as RejectionName, onFetch, way] as const]),
  ]),
);

test('each rejection has the status and the code by which clients recognize it', () => {
  const known = new Map<string, string[]>();
  for (const name of Object.keys(rejections) as RejectionName[]) {
    const { status, code } = new HttpRejection<RejectionName>(name, {} as never); // the text is not tested
    const key = `${status} ${code}`;
    known.set(key, [...(known.get(key) ?? []), name]);
  }
  expect(Object.fromEntries(known)).toEqual({
    '400 -32600': [
      ...['target', 'message', 'batch', 'noBatches', 'nothingAsked', 'request'],
      ...['sessionMissing', 'version', 'lastEventId'],
    ],
    '400 -32602': ['noVersion'],
    '400 -32700': ['bodyText'],
    '401 -32600': ['credentials'],
    '403 -32600': ['host', 'origin', 'scopes', 'unverified'],
    '404 -32600': ['path', 'sessionUnknown', 'sseSession'],
    '405 -32600': ['method', 'documentMethod', 'noSession'],
    '406 -32600': ['accept', 'acceptStream'],
    '413 -32600': ['bodySize'],
    '415 -32600': ['mediaType'],
    '429 -32603': ['maxCalls', 'maxCallsPerSession', 'maxSessions', 'maxSessionsPerCaller', 'maxListenersPerCaller'],
    '503 -32603': ['closing', 'internal'],
  });
});

test.each(rows)(
  '%s over %s is rejected with CORS headers, so that a page can read the error',
  async (_what, _over, name, sending, way) => {
    const made = await world(sending, way);
    const sent = typeof way.sent === 'function' ? await way.sent(made) : way.sent;
    const reply = await made.send(sent);
    const { status, text } = rejections[name];
    expect(reply.status).toBe(status);
    const { id, error } = JSON.parse(await reply.text()) as { id?: number; error: { message: string } }; // or the test fails here
    for (const words of text.split(/\{\w+\}/)) expect(error.message).toContain(words);
    expect(id ?? undefined).toBe(unread.has(name) ? undefined : idOf(sent));
    const allowed = 'allowed' in way ? way.allowed : PAGE;
    expect(reply.header('access-control-allow-origin')).toBe(allowed);
    expect(reply.header('vary')).toBe(allowed === PAGE ? 'Origin' : undefined);
    expect(reply.header('retry-after')).toBe(status === 429 || status === 503 ? '1' : undefined);
  },
);

test('the error for a Host or Origin quotes up to 100 characters on one line, and names the option that allows it', async () => {
  const { send } = await world(onFetch, { what: '', sent: {} });
  const said = async (headers: Record<string, string>): Promise<string> =>
    (JSON.parse(await (await send({ headers })).text()) as { error: { message: string } }).error.message; // or the test fails here
  expect(await said({ host: 'mcp.example:8443' })).toBe(
    'Forbidden: the Host "mcp.example:8443" is not served here; add it to allowedHosts (gateway file: listen.hosts)',
  );
  expect(await said({ host: `${'x'.repeat(100)}.example` })).toContain(`the Host "${'x'.repeat(100)}" is not`);
  expect(await said({ host: 'a\u00adb' })).toContain('the Host "a\\u00adb" is not');
  expect(await said({ origin: 'https://evil.example' })).toBe(
    'Forbidden: the Origin "https://evil.example" is not allowed; add it to allowedOrigins (gateway file: listen.origins)',
  );
});

test('the test cases of rejections reach every source line that rejects a request', () => {
  const sites = sourceFiles()
    .filter((file) => file.startsWith('src/transport/') && !file.endsWith('/rejections.ts'))
    .flatMap((file) =>
      codeOf(file)
        .split('\n')
        .flatMap((line, at) => (/new HttpRejection\(|throw wrongMethod\(/.test(line) ? [`${file}:${at + 1}`] : [])),
    );
  expect(sites.length).toBeGreaterThan(30);
  expect(sites.filter((site) => !reached.has(site))).toEqual([]);
});

test('only one function sends an error as a whole response', () => {
  const senders = sourceFiles().filter(
    (file) => file.startsWith('src/transport/') && /\bsendJson\((?!200|status: )/.test(codeOf(file)),
  );
  expect(senders).toEqual(['src/transport/http/post-response.ts', 'src/transport/http/rejections.ts']);
});
