/** Hostile servers over real sockets: nothing they send makes a client wait forever or fill its memory. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Client, ConnectOptions } from '../../src/client/index.ts';
import { connect } from '../../src/connect/connect.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { UrlOptions } from '../../src/transport/http-client/options.ts';
import { verifies } from '../support/verifies.ts';

const MiB = 1024 * 1024;
type Handler = (request: IncomingMessage, response: ServerResponse, body: JsonObject) => void;

interface Peer extends AsyncDisposable {
  readonly url: string;
  /** HTTP and JSON-RPC methods of all requests. */
  readonly asked: string[];
}

async function peer(handler: Handler): Promise<Peer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body = (text === '' ? {} : JSON.parse(text)) as JsonObject; // the client posts JSON
      asked.push(`${request.method} ${String(body['method'] ?? '')}`.trim());
      handler(request, response, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reply(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

const capabilities = { tools: {}, resources: {} };

/** Answers `server/discover`; `rest` handles everything else. */
const stateless =
  (rest: Handler): Handler =>
  (request, response, body) => {
    if (body['method'] !== 'server/discover') rest(request, response, body);
    else
      reply(response, {
        jsonrpc: '2.0',
        id: body['id'],
        result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities },
      });
  };

const session =
  (rest: Handler): Handler =>
  (request, response, body) => {
    const opened = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'worst', version: '1' } };
    if (body['method'] === 'initialize')
      reply(response, { jsonrpc: '2.0', id: body['id'], result: opened }, { 'mcp-session-id': 's' });
    else if (body['method'] === 'notifications/initialized') response.writeHead(202).end();
    else rest(request, response, body);
  };

const opened = ({ url }: Peer, options: ConnectOptions & UrlOptions = {}): Promise<Client> =>
  connect(url, { onWarning: () => undefined, ...options });

/** Writes the same bytes until the other side stops reading. Resolves with the number of bytes. */
function endlessly(response: ServerResponse, chunk: string | Buffer, limit = 64 * MiB): Promise<number> {
  return new Promise((resolve) => {
    let written = 0;
    const more = (): void => {
      while (!response.destroyed && written < limit) {
        written += chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', more);
          return;
        }
      }
      response.destroy();
    };
    response.once('close', () => resolve(written));
    more();
  });
}

describe('a body without an end', () => {
  test.each<[string, string, string]>([
    ['JSON', 'application/json', '[0,'],
    ['one event', 'text/event-stream', 'data: xxxxxxxx'],
    ['lines of one event', 'text/event-stream', 'data: xxxxxxxx\n'],
    ['a comment', 'text/event-stream', ': xxxxxxx'],
  ])('is refused when it gets too large: %s', async (_, type, chunk) => {
    let taken: Promise<number> = Promise.resolve(0);
    await using server = await peer(
      stateless((_request, response) => {
        response.writeHead(200, { 'content-type': type });
        taken = endlessly(response, chunk.repeat(4096));
      }),
    );
    await using client = await opened(server);
    await expect(client.call('t')).rejects.toMatchObject({
      code: 'MCP_TOO_LARGE',
      message: expect.stringContaining('16777216'),
    });
    expect(await taken).toBeLessThan(40 * MiB);
    expect(server.asked).toHaveLength(2);
  });

  test('of a refusal is read only so far', async () => {
    let taken: Promise<number> = Promise.resolve(0);
    await using server = await peer(
      stateless((_request, response) => {
        response.writeHead(422, { 'content-type': 'text/plain' });
        taken = endlessly(response, 'no '.repeat(4096));
      }),
    );
    await using client = await opened(server);
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_HTTP_REFUSED', details: { status: 422 } });
    expect(await taken).toBeLessThan(20 * MiB);
  });

  test('of what was only to be accepted is not read', async () => {
    let taken: Promise<number> = Promise.resolve(0);
    await using server = await peer(
      session((request, response, body) => {
        if (request.method === 'GET') response.writeHead(405).end();
        else if (body['method'] === 'tools/call')
          response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        else {
          response.writeHead(202);
          taken = endlessly(response, 'x'.repeat(4096));
        }
      }),
    );
    await using client = await opened(server, { revisions: ['2025-11-25'] });
    const control = new AbortController();
    const call = client.call('t', {}, { signal: control.signal });
    setImmediate(() => control.abort());
    await expect(call).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    await expect.poll(() => server.asked).toContain('POST notifications/cancelled');
    expect(await taken).toBeLessThan(20 * MiB);
  });

  test('is measured exactly', async () => {
    await using server = await peer(
      stateless((_request, response, body) => {
        const text = JSON.stringify({
          jsonrpc: '2.0',
          id: body['id'],
          result: { resultType: 'complete', content: [] },
        });
        const { size } = (body['params'] as { arguments: { size: number } }).arguments; // as called below
        response.writeHead(200, { 'content-type': 'application/json' }).end(text + ' '.repeat(size - text.length));
      }),
    );
    await using client = await opened(server, { maxAnswerBytes: 1000 });
    await expect(client.call('t', { size: 999 })).resolves.toBeDefined();
    await expect(client.call('t', { size: 1000 })).resolves.toBeDefined();
    await expect(client.call('t', { size: 1001 })).rejects.toMatchObject({ code: 'MCP_TOO_LARGE' });
  });
});

describe('compression that the client did not ask for', () => {
  const bomb = Buffer.alloc(256 * MiB, 0x20);

  test.each<[string, (data: Buffer) => Buffer]>([
    ['gzip', (data) => gzipSync(data, { level: 1 })],
    ['deflate', (data) => deflateSync(data, { level: 1 })],
    ['br', (data) => brotliCompressSync(data, { params: { 1: 1 } })],
  ])('counts by what comes out of it: %s', async (encoding, compress) => {
    const small = compress(bomb);
    await using server = await peer(
      stateless((_request, response, body) => {
        const answer = Buffer.from(
          JSON.stringify({ jsonrpc: '2.0', id: body['id'], result: { resultType: 'complete', content: [] } }),
        );
        const { large } = (body['params'] as { arguments: { large: boolean } }).arguments; // as called below
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
          .end(large ? small : compress(answer));
      }),
    );
    await using client = await opened(server);
    await expect(client.call('t', { large: false })).resolves.toMatchObject({ content: [] });
    const before = process.memoryUsage().rss;
    await expect(client.call('t', { large: true })).rejects.toMatchObject({ code: 'MCP_TOO_LARGE' });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MiB);
  });

  test('is refused when it is broken or unknown', async () => {
    await using server = await peer(
      stateless((_request, response, body) => {
        const { encoding } = (body['params'] as { arguments: { encoding: string } }).arguments; // as called below
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end('garbage');
      }),
    );
    await using client = await opened(server);
    for (const encoding of ['gzip', 'br', 'zstd'])
      await expect(client.call('t', { encoding })).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
  });
});

describe('silence', () => {
  test('ends with the deadline of the call, and the server is told by hanging up', async () => {
    verifies('LIFE-021', 'LIFE-022');
    let hungUp: Promise<unknown> = Promise.resolve();
    await using server = await peer(
      stateless((_request, response) => {
        hungUp = once(response, 'close');
      }),
    );
    await using client = await opened(server);
    await expect(client.call('t', {}, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'MCP_TIMEOUT' });
    await hungUp;
  });

  test('on the standing stream and at the end holds up nothing', async () => {
    await using server = await peer(
      session((request, response, body) => {
        if (request.method === 'POST') reply(response, { jsonrpc: '2.0', id: body['id'], result: { content: [] } });
      }),
    );
    const client = await opened(server, { revisions: ['2025-11-25'] });
    await client.call('t');
    await client.close();
    expect(server.asked).toContain('DELETE');
  });

  test('in the middle of an answer ends with the deadline too', async () => {
    await using server = await peer(
      stateless((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":');
      }),
    );
    await using client = await opened(server);
    await expect(client.call('t', {}, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'MCP_TIMEOUT' });
  });
});

describe('connections', () => {
  test('that are not accepted are errors with the URL, and nothing is unknown', async () => {
    const server = await peer(stateless((_request, response) => response.destroy()));
    await using client = await opened(server);
    await server[Symbol.asyncDispose]();
    await expect(client.call('t')).rejects.toMatchObject({
      code: 'MCP_UNREACHABLE',
      kind: 'offline',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await expect(connect('http://nowhere.invalid/mcp')).rejects.toMatchObject({
      code: 'MCP_UNREACHABLE',
      message: expect.stringContaining('nowhere.invalid'),
    });
  });

  test.each<[string, string]>([
    ['before the head', ''],
    ['in the head', 'HTTP/1.1 200 OK\r\ncontent-type: appl'],
    ['in the body', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"jsonrpc"'],
    [
      'in a stream',
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n6\r\ndata: \r\n',
    ],
    ['with nonsense', 'nonsense\r\n\r\n'],
    ['with a head without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
  ])('that break off %s leave the outcome unknown', async (_, bytes) => {
    const discovered = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities },
    });
    const sockets = new Set<Socket>();
    const server = createSocketServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        if (String(data).includes('server/discover'))
          socket.write(
            `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${discovered.length}\r\n\r\n${discovered}`,
          );
        else socket.end(bytes);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on a port
    const client = await connect(`http://127.0.0.1:${port}/mcp`);
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
    expect(client.state).toBe('ready');
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test('are not made to another origin, whatever the server says', async () => {
    let visited = 0;
    await using other = await peer((_request, response) => {
      visited++;
      response.end();
    });
    await using server = await peer((_request, response) => {
      response.writeHead(307, { location: other.url }).end();
    });
    await expect(opened(server, { headers: { authorization: 'Bearer secret' } })).rejects.toMatchObject({
      code: 'MCP_HTTP_REDIRECT',
    });
    await using named = await peer((request, response) => {
      if (request.method === 'GET')
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write(`event: endpoint\ndata: ${other.url}\n\n`);
      else response.writeHead(404).end();
    });
    await expect(opened(named)).rejects.toMatchObject({ code: 'MCP_HTTP_UNEXPECTED' });
    expect(visited).toBe(0);
  });
});

test('a stream that is cut after every single message loses none of them', async () => {
  verifies('HTTP-052', 'HTTP-032');
  const count = 5;
  let token: unknown;
  let id: unknown;
  const send = (response: ServerResponse, at: number): void => {
    const progress = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: token, progress: at },
    };
    const message =
      at <= count ? progress : { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 50\nid: ${at}\ndata: ${JSON.stringify(message)}\n\n`, () => response.destroy());
  };
  await using server = await peer(
    session((request, response, body) => {
      const from = request.headers['last-event-id'];
      if (request.method === 'DELETE') response.end();
      else if (request.method === 'GET') {
        if (from === undefined) response.writeHead(405).end();
        else send(response, Number(from) + 1);
      } else {
        ({ id } = body);
        token = (body['params'] as { _meta: { progressToken: unknown } })._meta.progressToken; // the client wrote it
        send(response, 1);
      }
    }),
  );
  await using client = await opened(server, { revisions: ['2025-11-25'] });
  const seen: number[] = [];
  const { text } = await client.call('t', {}, { onProgress: ({ progress }) => seen.push(progress) });
  expect(text).toBe('done');
  expect(seen).toEqual([1, 2, 3, 4, 5]);
});
