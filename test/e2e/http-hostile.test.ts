/** Hostile requests over real sockets, byte by byte. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { type HttpListener, type ServeHttpOptions, serveHttp } from '../../src/transport/node.ts';
import { port } from '../fixtures/port.ts';
import { eventually } from '../support/children.ts';
import { request, stateless } from '../support/http-messages.ts';
import { ask, begin, bytes, open, postText } from '../support/http-raw.ts';
import { verifies } from '../support/verifies.ts';

const listeners: HttpListener[] = [];
afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close(0))));

async function serve(options: Partial<ServeHttpOptions> = {}): Promise<ReturnType<typeof port> & { url: string }> {
  const made = port();
  const listener = await serveHttp(made.server, { port: 0, ...options });
  listeners.push(listener);
  return { ...made, url: listener.url };
}

const echo = stateless('tools/call', { name: 'echo', arguments: { message: 'hi' } });
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

describe('an address', () => {
  test('is this machine alone', async () => {
    verifies('HTTP-006', 'SSE-006');
    const { url } = await serve();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  test('is another only with credentials, or with a word of warning', async () => {
    verifies('HTTP-007', 'SSE-007');
    const { server } = port();
    await expect(serveHttp(server, { port: 0, host: '0.0.0.0' })).rejects.toThrow('dangerouslyAllowUnauthenticated');
    const { url } = await serve({ host: '0.0.0.0', dangerouslyAllowUnauthenticated: true });
    expect((await ask(url.replace('0.0.0.0', '127.0.0.1'), echo)).status).toBe(200);
  });

  test.each(['path', 'sse'])('has a %s that begins with a slash', async (name) => {
    await expect(serve({ [name]: 'mcp' })).rejects.toThrow(`${name} is "mcp"; it must begin with "/"`);
  });

  test('a port that another process has is an error that says so', async () => {
    const { url } = await serve();
    const port = Number(new URL(url).port);
    await expect(serve({ port })).rejects.toMatchObject({
      ...{ code: 'EADDRINUSE', message: expect.stringContaining(`Another process listens on 127.0.0.1:${port}`) },
    });
  });
});

describe('Host and Origin', () => {
  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1:1@evil.example', '__proto__', '%%%', '[::1'])(
    'the host %s is refused, and nothing runs',
    async (host) => {
      const { url, ran } = await serve();
      const body = JSON.stringify(echo.body);
      const sent = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
      expect(statusOf(await bytes(url, sent))).toBe(403);
      expect(ran()).toBe(0);
    },
  );

  test.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example'])(
    'the origin %s is refused',
    async (origin) => {
      verifies('HTTP-003', 'HTTP-004');
      const { url, ran } = await serve({ sse: '/sse' });
      for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS']) {
        const headers = { ...echo.headers, origin };
        expect((await ask(url, { method, headers, ...(method === 'POST' ? { body: echo.body } : {}) })).status).toBe(
          403,
        );
        expect((await ask(url.replace('/mcp', '/sse'), { method, headers })).status).toBe(403);
      }
      expect(ran()).toBe(0);
    },
  );

  test('no host at all is refused by the parser', async () => {
    const { url } = await serve();
    expect(statusOf(await bytes(url, 'GET /mcp HTTP/1.1\r\n\r\n', /\r\n\r\n/))).toBe(400);
  });

  test('no browser is told that it may read anything', async () => {
    const { url } = await serve();
    const answer = await ask(url, { ...echo, headers: { ...echo.headers, origin: 'http://localhost:5173' } });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('targets', () => {
  test.each([
    ['*', 400],
    ['http://evil.example/mcp', 400],
    ['//evil.example/mcp', 404],
    ['/', 404],
    ['/mcp/', 404],
    ['/MCP', 404],
    ['/mcp/../mcp', 404],
    ['/%6dcp', 404],
    ['/mcp?x=1', 405],
    [`/${'a'.repeat(15_000)}`, 404],
  ])('%s', async (target, status) => {
    const { url } = await serve();
    const answer = await bytes(url, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(statusOf(answer)).toBe(status);
  });

  test('headers without end are not read', async () => {
    const { url } = await serve();
    const answer = await bytes(url, `GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(statusOf(answer)).toBe(431);
  });

  test('a second host is seen behind two thousand other headers', async () => {
    const { url } = await serve();
    const behind = (last: string): string =>
      `GET /mcp HTTP/1.1\r\nHost: localhost\r\n${'a:b\r\n'.repeat(2_500)}${last}Connection: close\r\n\r\n`;
    expect(statusOf(await bytes(url, behind('')))).toBe(405);
    expect(statusOf(await bytes(url, behind('Host: evil.example\r\n')))).toBe(403);
  });

  test('two lengths are not one', async () => {
    const { url } = await serve();
    const smuggled =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(statusOf(await bytes(url, smuggled, /\r\n\r\n/))).toBe(400);
  });
});

describe('forms that any page may send', () => {
  test.each([
    'text/plain',
    'text/plain; charset=application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    undefined,
  ])('%s is refused, and nothing runs', async (type) => {
    const { url, ran } = await serve();
    const answer = await ask(url, { ...echo, headers: { ...echo.headers, 'content-type': type } });
    expect(answer.status).toBe(415);
    expect(ran()).toBe(0);
  });
});

describe('bodies', () => {
  const limit = 64 * 1024;
  const padded = (size: number): string => `"${'x'.repeat(size - 2)}"`;

  test.each([
    [limit - 1, 400],
    [limit, 400],
    [limit + 1, 413],
  ])('of %i bytes get %i', async (size, status) => {
    const { url } = await serve({ maxBodyBytes: limit });
    expect((await ask(url, { body: padded(size) })).status).toBe(status);
    const headers = { 'transfer-encoding': 'chunked' };
    expect((await ask(url, { headers, body: padded(size) })).status).toBe(status);
  });

  test('are not read when their length says that they are too large', async () => {
    const { url } = await serve();
    const sent =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40000000\r\n\r\n';
    const answer = await bytes(url, sent);
    expect(statusOf(answer)).toBe(413);
    expect(answer).toContain('Connection: close');
  });

  test('that never end are not read for ever', async () => {
    const { url } = await serve({ maxBodyBytes: limit });
    const socket = await open(url);
    let heard = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (heard += chunk));
    socket.on('error', () => undefined);
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    let sent = 0;
    while (!socket.destroyed && sent < 400) {
      socket.write(chunk);
      sent++;
      await sleep(1);
    }
    expect(statusOf(heard)).toBe(413);
    expect(sent).toBeLessThan(400);
  });

  test('that are compressed are not opened', async () => {
    const { url } = await serve();
    expect((await ask(url, { headers: { 'content-encoding': 'gzip' }, body: 'x' })).status).toBe(415);
  });

  test('that are not UTF-8 are refused', async () => {
    const { url } = await serve();
    const sent = Buffer.concat([
      Buffer.from(
        postText('"??"', 'Host: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n').slice(0, -3),
      ),
      Buffer.from([0xff, 0xfe, 0x22]),
    ]);
    expect(statusOf(await bytes(url, sent))).toBe(400);
  });

  test('that break off leave nothing behind', async () => {
    const { url } = await serve({ maxCalls: 1 });
    for (let n = 0; n < 20; n++) {
      const socket = await open(url);
      socket.write(postText(JSON.stringify(echo.body)).slice(0, -5));
      socket.destroy();
    }
    expect((await ask(url, echo)).status).toBe(200);
  });
});

describe('slowness', () => {
  test('in sending headers or a body is not waited for', async () => {
    const { url } = await serve({ headersTimeoutMs: 150, requestTimeoutMs: 300 });
    const answers = await Promise.all([
      bytes(url, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-'),
      bytes(
        url,
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a',
      ),
    ]);
    expect(answers.map(statusOf)).toEqual([408, 408]);
    expect((await ask(url, echo)).status).toBe(200);
  });

  test('in sending headers has a limit of its own', async () => {
    const { url } = await serve({ headersTimeoutMs: 150, requestTimeoutMs: 3_600_000 });
    expect(statusOf(await bytes(url, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-'))).toBe(408);
  });

  test('in reading ends the stream, and not the server', async () => {
    const { url, aborted } = await serve();
    const _meta = { 'io.modelcontextprotocol/logLevel': 'error' };
    const response = await begin(url, stateless('tools/call', { name: 'flood', _meta }));
    response.pause();
    await eventually('the stream to be cut', () => aborted.length > 0);
    expect(aborted[0]).toContain('hung up');
    const ended = new Promise<boolean>((resolve) => response.on('close', () => resolve(response.complete)));
    response.on('error', () => undefined).resume();
    expect(await ended).toBe(false);
    expect((await ask(url, echo)).status).toBe(200);
  });
});

test('requests one behind the other are answered in that order, on one connection', async () => {
  const { url } = await serve();
  const headers =
    'Host: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n';
  const sent = Array.from({ length: 50 }, (_, id) => {
    const { body } = stateless('tools/call', { name: 'echo', arguments: { message: `m${id}` } });
    return postText(JSON.stringify({ ...body, id }), headers);
  });
  // A rejection in the middle leaves the connection open.
  sent.splice(25, 0, postText('{"jsonrpc":"2.0","id":"bad","method":"ping"}'));
  const answer = await bytes(url, sent.join(''), /"id":49,/);
  const ids = [...answer.matchAll(/"jsonrpc":"2.0","id":("?\w+"?)/g)].map(([, id]) => id);
  expect(ids).toEqual([
    ...Array.from({ length: 25 }, (_, id) => `${id}`),
    '"bad"',
    ...Array.from({ length: 25 }, (_, id) => `${id + 25}`),
  ]);
});

describe('behind one another on one connection', () => {
  const posted = (name: string, params: JsonObject): string => {
    const { headers, body } = stateless('tools/call', { name, ...params });
    const all = { host: 'localhost', 'content-type': 'application/json', ...headers };
    const lines = Object.entries(all).map(([field, value]) => `${field}: ${value}\r\n`);
    return postText(JSON.stringify(body), lines.join(''));
  };
  const said = (message: string): string => posted('echo', { arguments: { message } });

  test('an answer that is ready waits for one that is not, and for a stream to end', async () => {
    const { url, go, ran } = await serve({ keepAliveMs: 20 });
    const sent = [
      posted('wait', {}),
      said('second'),
      posted('count', { arguments: { to: 2 }, _meta: { progressToken: 1 } }),
      said('fourth'),
    ];
    const answering = bytes(url, sent.join(''), /"text":"fourth"/);
    // The others have run; the first sends nothing, and becomes a stream meanwhile.
    await eventually('all of them', () => ran() === 3);
    await sleep(100);
    go();
    const answer = await answering;
    const order = ['went on', 'second', 'notifications/progress', 'counted to 2', 'fourth'];
    const places = order.map((text) => answer.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4);
    expect(answer.slice(0, answer.indexOf('went on'))).toMatch(/^:$/m);
  });

  test('a body that was not read is not taken for the next request', async () => {
    const { url, ran } = await serve();
    const hidden = said('hidden');
    const length = `Content-Type: application/json\r\nContent-Length: ${hidden.length}\r\n\r\n`;
    for (const refused of [
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n${length}`,
      `POST /nowhere HTTP/1.1\r\nHost: localhost\r\n${length}`,
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\n${length}`,
    ]) {
      const answer = await bytes(url, refused + hidden);
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    }
    expect(ran()).toBe(0);
  });
});

test('a request that is not understood does not close the connection', async () => {
  const { url } = await serve();
  const answer = await bytes(
    url,
    postText('{') + postText(JSON.stringify(request(1, 'ping'))),
    /Mcp-Session-Id is missing/,
  );
  expect(answer.match(/HTTP\/1\.1 400/g)).toHaveLength(2);
});
