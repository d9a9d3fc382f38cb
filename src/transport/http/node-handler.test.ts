import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { stateless } from '../../../test/support/http-messages.ts';
import { soon } from '../../../test/support/soon.ts';
import { systemClock } from '../../peer/clock.ts';
import { nodeHandler } from '../node.ts';
import { NodeReply } from './node-reply.ts';
import { NodeView } from './node-view.ts';
import { TurnWrites } from './turn-writes.ts';
import type { EventSink } from './view.ts';

interface Incoming {
  readonly body: PassThrough;
  readonly view: NodeView;
}

function incoming(more: object = {}): Incoming {
  const body = new PassThrough();
  // the members of a request that the view reads
  const request = Object.assign(
    body,
    { method: 'POST', headers: { host: 'localhost' }, rawHeaders: [] },
    more,
  ) as unknown as IncomingMessage;
  return { body, view: new NodeView(request, '/mcp') };
}

describe('a body', () => {
  test('a body is joined from its chunks, wherever they were cut', async () => {
    const { body, view } = incoming();
    const text = view.text(100);
    const bytes = Buffer.from('"Grüße"');
    for (const byte of bytes) body.write(Buffer.from([byte]));
    body.end();
    expect(await text).toBe('"Grüße"');
  });

  test.each([
    [9, false],
    [10, true],
    [11, true],
  ])('a body of ten bytes with a limit of %i', async (limit, fits) => {
    const { body, view } = incoming();
    const text = view.text(limit).then(
      () => true,
      (fault: { status: number }) => fault.status !== 413,
    );
    body.write('12345');
    body.end('67890');
    expect(await text).toBe(fits);
    // The rest of a body that is too large is not read.
    expect(body.isPaused()).toBe(!fits);
  });

  test('a body with a Content-Length above the limit is rejected without being read', async () => {
    const { view } = incoming({ headers: { 'content-length': '11' } });
    await expect(view.text(10)).rejects.toMatchObject({ status: 413 });
  });

  test('a body that a middleware has parsed has the same limit on nesting as others', async () => {
    const nested = (levels: number): unknown => JSON.parse(`${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`);
    const deepest = nested(200);
    expect(incoming({ body: deepest }).view.parsed).toBe(deepest);
    const { body, view } = incoming({ body: { params: deepest } });
    body.end();
    body.resume();
    await once(body, 'end');
    expect(view.parsed).toBeUndefined();
    await expect(view.text(100)).rejects.toMatchObject({
      status: 400,
      code: -32_700,
      message: expect.stringContaining('deeper than 200 levels'),
    });
    const bytes = Buffer.from('{}');
    expect(incoming({ body: bytes }).view.parsed).toBe(bytes);
  });

  test('a body that a middleware has left unread is read, although Express 4 has set an empty object', async () => {
    const { body, view } = incoming({ body: {} });
    expect(view.parsed).toBeUndefined();
    body.end('{"jsonrpc":"2.0"}');
    expect(await view.text(100)).toBe('{"jsonrpc":"2.0"}');
  });

  test('a body that a middleware has read is used as parsed, or is empty', async () => {
    expect(incoming({ body: { jsonrpc: '2.0' } }).view.parsed).toEqual({ jsonrpc: '2.0' });
    const { body, view } = incoming();
    body.end();
    body.resume();
    await settled();
    expect(await view.text(10)).toBe('');
  });
});

test.each<[string, Record<string, string>, string]>([
  ['is the authority', { ':authority': 'localhost:1' }, 'localhost:1'],
  ['can be sent as well', { ':authority': 'localhost:1', host: 'localhost:1' }, 'localhost:1'],
  ['fits nothing where it is another', { ':authority': 'evil.example', host: 'localhost' }, 'localhost, evil.example'],
])('the host of a request over HTTP/2 %s', (_what, headers, host) => {
  expect(incoming({ headers }).view.header('host')).toBe(host);
});

test('a duplicate header is joined, so that it matches no expected value', () => {
  const { view } = incoming({ headers: { 'set-cookie': ['a', 'b'], host: 'localhost' } });
  expect(view.header('set-cookie')).toBe('a, b');
  expect(view.header('nothing')).toBeUndefined();
  const twice = ['Host', 'localhost', 'localhost', 'Host', 'hOST', 'evil.example'];
  expect(incoming({ rawHeaders: twice }).view.header('host')).toBe('localhost, evil.example');
});

/** Opens a connection to a server for the duration of the test. */
async function connectTo(listener: Server): Promise<Socket> {
  if (!listener.listening) await once(listener, 'listening');
  const { port: at } = listener.address() as AddressInfo; // it listens on a port
  const client = connect(at, '127.0.0.1');
  onTestFinished(() => {
    client.destroy();
    listener.close();
  });
  return client;
}

test.each([
  ['Content-Length: 9\r\n\r\n12345', 'close'],
  ['Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n', 'close'],
  ['Content-Length: 5\r\n\r\n12345', 'keep-alive'],
  ['\r\n', 'keep-alive'],
])('after a response to %j, the Connection header is %s', async (rest, connection) => {
  const listener = createServer((request, response) => {
    const reply = (): void => new NodeReply(request, response, new TurnWrites(systemClock)).send(202);
    // The response is complete when its end is seen.
    if (connection === 'close' || rest === '\r\n') reply();
    else request.resume().once('end', reply);
  }).listen(0, '127.0.0.1');
  const client = await connectTo(listener);
  client.write(`POST / HTTP/1.1\r\nHost: here\r\n${rest}`);
  const [head] = (await once(client.setEncoding('utf8'), 'data')) as [string]; // as the encoding makes it
  expect(/^Connection: (.*)$/m.exec(head)?.[1]).toBe(connection);
});

test('a deferred response that has ended, failed or lost its client does not delay the responses after it', async () => {
  const writes = new TurnWrites(systemClock);
  const errors: Error[] = [];
  const open = new Map<string | undefined, { response: ServerResponse; reply: NodeReply }>();
  const listener = createServer((request, response) => {
    response.on('error', (error) => errors.push(error));
    open.set(request.url, { response, reply: new NodeReply(request, response, writes) });
    if (request.url === '/fails') {
      response.end = () => {
        throw new Error('a framework failed');
      };
    }
    if (open.size < 4) return;
    for (const { reply } of open.values()) reply.sendJson(200, '{}');
    open.get('/leaves')?.response.destroy();
    open.get('/ended')?.response.end();
    // While the end is still being sent to its client.
    open.get('/ended')?.reply.flush();
  }).listen(0, '127.0.0.1');
  const clients: Socket[] = [];
  for (const path of ['/leaves', '/fails', '/ended', '/stays']) {
    const client = await connectTo(listener);
    client.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
    clients.push(client);
  }
  const [leaves, fails, ended, stays] = clients as [Socket, Socket, Socket, Socket]; // one for each path
  const closed = [once(leaves.resume(), 'close'), once(fails.resume(), 'close')];
  const [data] = await Promise.all([once(stays, 'data'), once(ended, 'data'), ...closed]);
  expect(String(data)).toMatch(/^HTTP\/1.1 200 /);
  expect(errors).toEqual([]);
});

test('a stream sends its headers before the first event, and each event at once', async () => {
  const sinks: EventSink[] = [];
  const listener = createServer((request, response) => {
    sinks.push(new NodeReply(request, response, new TurnWrites(systemClock)).stream({ 'X-Own': 'here' }));
  }).listen(0, '127.0.0.1');
  const client = await connectTo(listener);
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const [head] = (await once(client.setEncoding('utf8'), 'data')) as [string]; // as the encoding makes it
  expect(head).toMatch(/^HTTP\/1.1 200 /);
  expect(head).toMatch(/^X-Own: here\r$/m);
  expect(head).toMatch(/^Content-Type: text\/event-stream/m);
  for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
    sinks[0]?.write(text);
    expect(String(await once(client, 'data'))).toContain(text);
  }
});

test('a stream whose request fails is aborted, so that its client does not wait for the rest', async () => {
  const listener = createServer((request, response) => {
    const reply = new NodeReply(request, response, new TurnWrites(systemClock));
    reply.stream();
    reply.sendJson(503, '{}');
  }).listen(0, '127.0.0.1');
  const client = await connectTo(listener);
  client.resume().write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  await once(client, 'close');
});

test.each<[string, (reply: NodeReply) => void]>([
  ['a response', (reply) => reply.sendJson(200, '{}')],
  ['a long response', (reply) => reply.sendJson(200, 'x'.repeat(65_537))],
  ['a stream', (reply) => reply.stream().end()],
])(
  '%s that the function of a framework fails to end is cut off, although it waits for no other',
  async (_what, respond) => {
    const listener = createServer((request, response) => {
      const writes = new TurnWrites(systemClock);
      // The same connection was answered before, and no other one waits.
      writes.tryDefer({ response, flush: () => undefined });
      response.end = () => {
        throw new Error('broken');
      };
      setImmediate(() => respond(new NodeReply(request, response, writes)));
    }).listen(0, '127.0.0.1');
    const client = await connectTo(listener);
    client.resume().write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    await once(client, 'close');
  },
);

describe('a framework that answers a request first, such as one that limits its time', () => {
  /** The response of the framework, and a reply that is too late. */
  async function answeredFirst(
    answer: (reply: NodeReply, response: ServerResponse) => void,
  ): Promise<{ text: string; ours: ServerResponse }> {
    const responses: ServerResponse[] = [];
    const listener = createServer((request, response) => {
      responses.push(response);
      answer(new NodeReply(request, response, new TurnWrites(systemClock)), response);
    }).listen(0, '127.0.0.1');
    const client = await connectTo(listener);
    client.end('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
    const text = Buffer.concat(await client.toArray()).toString();
    return { text, ours: responses[0] as ServerResponse }; // it was asked
  }

  test.each<[string, (response: ServerResponse) => void]>([
    ['whole', (response) => void response.writeHead(503).end('late')],
    [
      'in part',
      (response) => {
        response.writeHead(503).write('la');
        setImmediate(() => response.end('te'));
      },
    ],
  ])(
    'a stream that starts after a framework has responded (%s) does not affect that response',
    async (_how, respond) => {
      const gone: string[] = [];
      const { text } = await answeredFirst((reply, response) => {
        reply.onGone(() => gone.push('before'));
        respond(response);
        const sink = reply.stream();
        reply.onGone(() => gone.push('after'));
        sink.write('data: 1\n\n');
        reply.sendJson(200, '{}');
        sink.abort();
        sink.end();
      });
      expect(text).toMatch(/^HTTP\/1.1 503 /);
      expect(text.replace(/\r\n\d\r\n/g, '')).toMatch(/la(\r\n)?te/);
      expect(text).not.toContain('data:');
      await soon(() => expect(gone).toEqual(['after', 'before']));
    },
  );

  test('a framework that ends an open stream makes it count as lost', async () => {
    const gone: string[] = [];
    await answeredFirst((reply, response) => {
      const sink = reply.stream();
      reply.onGone(() => gone.push('gone'));
      response.end();
      sink.write('data: 1\n\n');
      setImmediate(() => sink.end());
    });
    await soon(() => expect(gone).toEqual(['gone']));
  });
});

describe('the limit on the time in which a client reads nothing', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: here\r\n\r\n';
  const LONG = 32 * 1024 * 1024;

  /** Both ends of a connection on which responses were sent, by default one of this length. */
  async function sent(
    respond: number | ((reply: NodeReply) => void),
    keepAliveTimeout = 5_000,
    ownTimeout = 0,
    requests = GET,
  ): Promise<SentResponse> {
    let timeout: number | undefined;
    const listener = createServer({ keepAliveTimeout }, (request, response) => {
      const reply = new NodeReply(request, response, new TurnWrites(systemClock));
      if (typeof respond === 'number') reply.sendJson(200, 'x'.repeat(respond));
      else respond(reply);
      timeout = request.socket.timeout;
    })
      .setTimeout(ownTimeout)
      .listen(0, '127.0.0.1');
    const client = (await connectTo(listener)).pause();
    client.write(requests);
    const [{ socket }] = (await once(listener, 'request')) as [IncomingMessage]; // as the event has it
    return { client, ours: socket, timeout };
  }
  interface SentResponse {
    readonly client: Socket;
    readonly ours: Socket;
    readonly timeout: number | undefined;
  }

  test('a client that does not read a long response is disconnected', async () => {
    const { ours, timeout } = await sent(LONG);
    expect(timeout).toBe(30_000);
    ours.emit('timeout');
    await once(ours, 'close');
  });

  test.each([
    [65_536, undefined],
    [65_537, 30_000],
  ])('the timeout for unread data of a response of %i characters is %s', async (length, timeout) => {
    expect((await sent(length)).timeout).toBe(timeout);
  });

  test.each([0, 5_000])(
    'the timeout for unread data ends with the response, so a keep-alive of %i ms still applies',
    async (ms) => {
      const { client, ours } = await sent(LONG, ms);
      client.resume();
      await soon(() => expect(ours.timeout).not.toBe(30_000));
      expect([(ours.timeout ?? 0) > 0, ours.destroyed]).toEqual([ms > 0, false]);
    },
  );

  test('the timeout for unread data is replaced by that of the server after the response', async () => {
    const { client, ours, timeout } = await sent(LONG, 0, 120_000);
    expect(timeout).toBe(30_000);
    client.resume();
    await soon(() => expect(ours.timeout).toBe(120_000));
  });

  test.each([
    ['has ended', true],
    ['is open', false],
  ])('a client that does not read a long event of a stream that %s is disconnected', async (_state, last) => {
    const { ours } = await sent((reply) => {
      const sink = reply.stream();
      sink.write(`data: ${'x'.repeat(LONG)}\n\n`);
      if (last) sink.end();
    });
    await soon(() => expect(ours.timeout).toBe(30_000));
    ours.emit('timeout');
    await once(ours, 'close');
  });

  test('a stream whose long event was read stays open', async () => {
    const { client, ours } = await sent((reply) => reply.stream().write(`data: ${'x'.repeat(LONG)}\n\n`));
    await soon(() => expect(ours.timeout).toBe(30_000));
    client.resume();
    await soon(() => expect(ours.writableLength).toBe(0));
    ours.emit('timeout');
    await settled();
    expect(ours.destroyed).toBe(false);
  });

  test('the timeout for unread data applies to each response to pipelined requests', async () => {
    const { client, ours } = await sent(LONG, 5_000, 0, GET + GET);
    let read = 0;
    client.on('data', (chunk: Buffer) => {
      read += chunk.length;
      // The first response is read, and a little of the second.
      if (read > LONG + 65_536) client.pause();
    });
    client.resume();
    await soon(() => expect(client.isPaused()).toBe(true));
    expect(ours.timeout).toBe(30_000);
    ours.emit('timeout');
    await once(ours, 'close');
  });
});

describe('a handler in a server that keeps the first of several headers', () => {
  const { headers, body } = stateless('tools/call', { name: 'echo', arguments: { message: 'hi' } });
  const usual = ['Host: 127.0.0.1', 'Content-Type: application/json', 'Authorization: ada'];
  const mirrored = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

  /** The status of a request with these header lines, in addition to or instead of the usual ones. */
  async function statusWith(lines: readonly string[], target = '/mcp'): Promise<string> {
    const auth = ({ header }: { header(name: string): string | undefined }) =>
      header('authorization') === 'ada'
        ? { subject: 'ada', scopes: [] }
        : ({ status: 401, wwwAuthenticate: 'Bearer' } as const);
    const listener = createServer(nodeHandler(port().server, { auth, path: '/mcp' })).listen(0, '127.0.0.1');
    onTestFinished(() => void listener.close());
    await once(listener, 'listening');
    const { port: at } = listener.address() as AddressInfo; // it listens on a port
    const text = JSON.stringify(body);
    const head = [...lines, ...mirrored, `Content-Length: ${text.length}`, 'Connection: close'];
    const socket = connect(at, '127.0.0.1');
    socket.end([`POST ${target} HTTP/1.1`, ...head, '', text].join('\r\n'));
    const [line = ''] = Buffer.concat(await socket.toArray())
      .toString()
      .split('\r\n');
    return line;
  }

  test('a request that has each header once is answered', async () => {
    expect(await statusWith(usual)).toBe('HTTP/1.1 200 OK');
  });

  test.each([
    ['Host: evil.example', 'HTTP/1.1 403 Forbidden'],
    ['host: 127.0.0.1', 'HTTP/1.1 403 Forbidden'],
    ['Content-Type: text/plain', 'HTTP/1.1 415 Unsupported Media Type'],
    ['AUTHORIZATION: eve', 'HTTP/1.1 401 Unauthorized'],
    ['Mcp-Method: tools/list', 'HTTP/1.1 400 Bad Request'],
    ['Mcp-Name: count', 'HTTP/1.1 400 Bad Request'],
    ['MCP-Protocol-Version: 2025-11-25', 'HTTP/1.1 400 Bad Request'],
  ])('a request with a duplicate header is rejected: %s', async (second, status) => {
    expect(await statusWith([...usual, second])).toBe(status);
  });

  test('a second Content-Type after the parameters of the first is rejected', async () => {
    const lines = usual.map((line) => line.replace('json', 'json; charset=utf-8'));
    expect(await statusWith(lines)).toBe('HTTP/1.1 200 OK');
    expect(await statusWith([...lines, 'Content-Type: text/plain'])).toBe('HTTP/1.1 415 Unsupported Media Type');
  });

  test.each([
    ['http://127.0.0.1/mcp', 'HTTP/1.1 200 OK'],
    ['HTTP://127.0.0.1/mcp?a=b', 'HTTP/1.1 200 OK'],
    ['http://127.0.0.1/other', 'HTTP/1.1 404 Not Found'],
    ['http://127.0.0.1/other/../mcp', 'HTTP/1.1 404 Not Found'],
    ['http://evil.example/mcp', 'HTTP/1.1 400 Bad Request'],
    ['http://127.0.0.1:80/mcp', 'HTTP/1.1 400 Bad Request'],
    ['http://user@127.0.0.1/mcp', 'HTTP/1.1 400 Bad Request'],
    ['http://127.0.0.1', 'HTTP/1.1 400 Bad Request'],
    ['ftp://127.0.0.1/mcp', 'HTTP/1.1 400 Bad Request'],
  ])('a request target in absolute form must have the host of the Host header: %s', async (target, status) => {
    expect(await statusWith(usual, target)).toBe(status);
  });
});
