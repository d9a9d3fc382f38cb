/** The guarded web with hostile servers, over real sockets. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { certificate } from '../../../test/fixtures/doctor/certificate.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { soon } from '../../../test/support/http-raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { WebResponse } from './guarded-web.ts';
import { type GuardedWebOptions, guardedWeb } from './guarded-web.ts';
import type { HostLookup } from './http-sender-node.ts';
import type { TraceStep } from './trace.ts';

const MiB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

interface Peer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Sockets that the server accepted. */
  readonly sockets: Socket[];
  readonly asked: IncomingMessage[];
}

async function opened(server: Server, asked: IncomingMessage[], host = '127.0.0.1'): Promise<Peer> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    sockets,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function peer(handler: Handler, host?: string): Promise<Peer> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    handler(request, response);
  });
  return opened(server, asked, host);
}

const local = new URL('http://localhost/mcp');
const get = (url: string) => ({ step: 'metadata', method: 'GET', url }) as const;
const visit = (url: string, options: GuardedWebOptions = {}): Promise<WebResponse> =>
  guardedWeb({ from: local, ...options })(get(url));

/** A resolver with these answers, which counts its calls. */
function resolver(...answers: string[][]): { lookup: HostLookup; names: string[] } {
  const names: string[] = [];
  const lookup: HostLookup = async (name) => {
    names.push(name);
    return answers[Math.min(names.length, answers.length) - 1] ?? [];
  };
  return { lookup, names };
}

const ok: Handler = (_, response) => void response.writeHead(200, JSON_TYPE).end('{"ok":true}');

/** Writes the same bytes until the client stops reading. Resolves with the number of bytes. */
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

test('an endpoint on this machine may send the chain to this machine', async () => {
  await using server = await peer(ok);
  for (const host of ['127.0.0.1', 'localhost']) {
    const answer = await visit(`http://${host}:${server.port}/`);
    expect(answer).toMatchObject({ status: 200, json: { ok: true } });
    expect(answer.header('content-type')).toBe('application/json');
  }
});

describe('from an endpoint elsewhere', () => {
  const from = new URL('https://mcp.example/mcp');

  test.each([
    ['by its address', '127.0.0.1'],
    ['by its address in another spelling', '0x7f.1'],
    ['by its name', 'localhost'],
    ['by a name below it', 'as.localhost'],
    ['as mapped address', '[::ffff:127.0.0.1]'],
  ])('this machine is not reached %s', async (_, host) => {
    verifies('SEC-017', 'SEC-018', 'SEC-019');
    await using server = await peer(ok);
    for (const scheme of ['http', 'https'])
      await expect(visit(`${scheme}://${host}:${server.port}/`, { from })).rejects.toMatchObject({
        code: 'MCP_AUTH_BLOCKED',
      });
    expect(server.sockets).toHaveLength(0);
  });

  test.each<[string, string[]]>([
    ['this machine', ['127.0.0.1']],
    ['this machine, in IPv6', ['::1']],
    ['a public address and this machine', ['8.8.8.8', '127.0.0.1']],
    ['a private network', ['10.0.0.1']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['an address with a zone', ['fe80::1%lo']],
  ])('a name that leads to %s is not connected to', async (_, addresses) => {
    verifies('SEC-017', 'SEC-019', 'SEC-022');
    await using server = await peer(ok);
    const { lookup, names } = resolver(addresses);
    await expect(visit(`https://as.example:${server.port}/`, { from, lookup })).rejects.toMatchObject({
      code: 'MCP_AUTH_BLOCKED',
      message: expect.stringContaining(`as.example, which is ${addresses.at(-1)},`),
    });
    expect(names).toEqual(['as.example']);
    expect(server.sockets).toHaveLength(0);
  });

  test('a name that leads nowhere says so', async () => {
    const failing = (): Promise<string[]> => Promise.reject(new Error('getaddrinfo ENOTFOUND as.example'));
    for (const lookup of [failing, async () => []])
      await expect(visit('https://as.example/', { from, lookup })).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
  });
});

describe('DNS that changes its mind', () => {
  test('is asked once, and the connection goes to what was checked', async () => {
    verifies('SEC-022');
    await using checked = await peer(ok);
    const { lookup, names } = resolver(['127.0.0.1'], ['10.0.0.1']);
    const answer = await visit(`http://as.localhost:${checked.port}/`, { lookup });
    expect(answer.json).toEqual({ ok: true });
    expect(names).toEqual(['as.localhost']);
    expect(checked.asked[0]?.headers.host).toBe(`as.localhost:${checked.port}`);
  });

  test('is asked again for each redirect, and judged again', async () => {
    verifies('SEC-020', 'SEC-022');
    await using server = await peer((_, response) => void response.writeHead(302, { location: '/again' }).end());
    const { lookup, names } = resolver(['127.0.0.1'], ['169.254.169.254']);
    await expect(visit(`http://as.localhost:${server.port}/`, { lookup })).rejects.toMatchObject({
      code: 'MCP_AUTH_BLOCKED',
    });
    expect(names).toHaveLength(2);
    expect(server.asked).toHaveLength(1);
  });

  test('gives the next address when the first is dead', async () => {
    await using server = await peer(ok);
    const { lookup } = resolver(['127.0.0.2', '127.0.0.1']);
    // Nothing listens on this port of the first address.
    expect((await visit(`http://as.localhost:${server.port}/`, { lookup })).json).toEqual({ ok: true });
  });

  test('does not change the name that a certificate is checked for', async () => {
    const names: string[] = [];
    const server = createTlsServer({
      SNICallback: (name, done) => {
        names.push(name);
        done(new Error('no certificate'));
      },
    });
    server.on('tlsClientError', () => undefined);
    await using tls = await opened(server, []);
    const { lookup } = resolver(['127.0.0.1']);
    await expect(visit(`https://as.example:${tls.port}/`, { lookup })).rejects.toMatchObject({
      code: 'MCP_UNREACHABLE',
    });
    expect(names).toEqual(['as.example']);
  });
});

test('a server whose certificate no authority has signed is sent nothing', async () => {
  verifies('EXTAUTH-29');
  const [yesterday, tomorrow] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000));
  const made = certificate({ host: 'as.example', from: yesterday ?? new Date(), to: tomorrow ?? new Date() });
  const heard: Buffer[] = [];
  const server = createTlsServer(made, (socket) => socket.on('data', (data: Buffer) => heard.push(data)));
  server.on('tlsClientError', () => undefined);
  await using tls = await opened(server, []);
  const { lookup } = resolver(['127.0.0.1']);
  await expect(visit(`https://as.example:${tls.port}/`, { lookup })).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
  expect([heard, tls.sockets.length]).toEqual([[], 1]);
});

describe('a redirect', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'https://169.254.169.254/',
    'http://10.0.0.1/',
    'http://192.168.1.1/admin',
    'http://as.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:application/json,{"issuer":"x"}',
    'https://ada:pw@as.example/',
    'https://[fe80::1]/',
  ])('does not lead to %s', async (location) => {
    verifies('SEC-020', 'SEC-039');
    await using server = await peer((_, response) => void response.writeHead(302, { location }).end());
    await expect(visit(server.url)).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
    expect(server.asked).toHaveLength(1);
  });

  test('in a circle ends after three', async () => {
    await using server = await peer((_, response) => void response.writeHead(307, { location: '/' }).end());
    await expect(visit(server.url)).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
    expect(server.asked).toHaveLength(4);
  });

  test('takes no credentials along, and nothing that was posted', async () => {
    await using server = await peer((request, response) => {
      if (request.url === '/target') ok(request, response);
      else response.writeHead(307, { location: '/target' }).end();
    });
    const targeted = (): IncomingMessage[] => server.asked.filter(({ url }) => url === '/target');
    const web = guardedWeb({ from: local });
    const headers = { authorization: 'Bearer secret', cookie: 'secret=1', dpop: 'secret' };
    await web({ ...get(server.url), headers });
    expect(targeted()).toHaveLength(1);
    expect(JSON.stringify(targeted()[0]?.rawHeaders)).not.toContain('secret');
    const body = new URLSearchParams({ code: 'secret' });
    await expect(web({ step: 'token', method: 'POST', url: server.url, body, headers })).rejects.toMatchObject({
      code: 'MCP_AUTH_BLOCKED',
    });
    expect(targeted()).toHaveLength(1);
  });

  test('to another origin is not followed, even on the same machine', async () => {
    verifies('SEC-020');
    await using other = await peer(ok);
    await using server = await peer((_, response) => void response.writeHead(302, { location: other.url }).end());
    await expect(visit(server.url)).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
    expect(other.asked).toEqual([]);
  });
});

describe('a body', () => {
  test('without an end is not read to the end', async () => {
    let taken: Promise<number> = Promise.resolve(0);
    await using server = await peer((_, response) => {
      taken = endlessly(response.writeHead(200, JSON_TYPE), ' '.repeat(4096));
    });
    await expect(visit(server.url)).rejects.toMatchObject({ code: 'MCP_TOO_LARGE' });
    expect(await taken).toBeLessThan(16 * MiB);
  });

  test('that is no JSON is not read at all', async () => {
    let taken: Promise<number> = Promise.resolve(0);
    await using server = await peer((_, response) => {
      taken = endlessly(response.writeHead(200, { 'content-type': 'text/html' }), 'x'.repeat(4096));
    });
    expect(await visit(server.url)).toMatchObject({ status: 200, json: undefined });
    expect(await taken).toBeLessThan(16 * MiB);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('that unpacks to far more than it was is not unpacked: %s', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(16 * MiB, ' '));
    expect(bomb.length).toBeLessThan(MiB);
    await using server = await peer(
      (_, response) => void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end(bomb),
    );
    await expect(visit(server.url)).rejects.toMatchObject({ code: 'MCP_TOO_LARGE' });
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('that is packed honestly is read: %s', async (encoding, pack) => {
    await using server = await peer(
      (_, response) =>
        void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end(pack('{"ok":true}')),
    );
    expect((await visit(server.url)).json).toEqual({ ok: true });
  });

  test.each(['gzip', 'br', 'zstd', 'gzip, gzip'])('that is not what its encoding says fails: %s', async (encoding) => {
    await using server = await peer(
      (_, response) => void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end('{"ok":true}'),
    );
    await expect(visit(server.url)).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
  });

  test('that is nested without end is no JSON', async () => {
    await using server = await peer(
      (_, response) => void response.writeHead(200, JSON_TYPE).end('['.repeat(MiB / 2) + ']'.repeat(MiB / 2)),
    );
    expect(await visit(server.url)).toMatchObject({ status: 200, json: undefined });
  });

  test('that breaks off is a failure', async () => {
    await using server = await peer((_, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' }).write('{"ok":');
      setImmediate(() => response.destroy());
    });
    await expect(visit(server.url)).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
  });
});

describe('time', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => undefined],
    ['stops within its head', (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-type: appl')],
    [
      'stops within its body',
      (socket) =>
        void socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"a"'),
    ],
    ['asks to be patient', (socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100))],
  ])('runs out for a server that %s', async (_, reply) => {
    let heard = 0;
    await using server = await opened(
      createSocketServer((socket) =>
        socket.once('data', () => {
          heard++;
          reply(socket);
        }),
      ),
      [],
    );
    const clock = new HeldClock();
    const outcome = visit(server.url, { clock }).catch((error: unknown) => error);
    await soon('the request arrives', async () => heard === 1);
    await clock.pass(10_000);
    expect(await outcome).toMatchObject({ code: 'MCP_TIMEOUT', details: { ms: 10_000 } });
    await soon('the connection is given up', async () =>
      server.sockets.every(({ destroyed, readyState }) => destroyed || readyState !== 'open'),
    );
  });

  test('runs out for DNS', async () => {
    const clock = new HeldClock();
    let asked = false;
    const lookup: HostLookup = () => {
      asked = true;
      return new Promise(() => undefined);
    };
    const outcome = visit('https://as.example/', { clock, lookup }).catch((error: unknown) => error);
    await soon('DNS is asked', async () => asked);
    await clock.pass(10_000);
    expect(await outcome).toMatchObject({ code: 'MCP_TIMEOUT' });
  });

  test('is counted over all redirects together', async () => {
    const clock = new HeldClock();
    const waiting: ServerResponse[] = [];
    await using server = await peer((_, response) => void waiting.push(response));
    const outcome = visit(server.url, { clock }).catch((error: unknown) => error);
    await soon('the first request arrives', async () => waiting.length === 1);
    await clock.pass(6_000);
    waiting[0]?.writeHead(302, { location: '/next' }).end();
    await soon('the second request arrives', async () => waiting.length === 2);
    await clock.pass(4_000);
    expect(await outcome).toMatchObject({ code: 'MCP_TIMEOUT' });
  });
});

describe('an address', () => {
  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:application/json,{}',
    'ftp://127.0.0.1/',
    'ws://127.0.0.1/',
    'unix:/var/run/docker.sock',
    'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
    '//127.0.0.1/',
    '/token',
    '',
  ])('of another kind is refused: %j', async (url) => {
    verifies('SEC-039');
    await expect(visit(url)).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
  });

  test('with credentials, or a port that looks like some, is refused', async () => {
    await using server = await peer(ok);
    for (const user of ['ada:pw', 'as.example:443', 'localhost'])
      await expect(visit(`http://${user}@127.0.0.1:${server.port}/`)).rejects.toMatchObject({
        code: 'MCP_AUTH_BLOCKED',
      });
    expect(server.sockets).toHaveLength(0);
  });

  test('on another port of the origin that the user named is another place', async () => {
    await using server = await peer(ok);
    const from = new URL('https://mcp.example/mcp');
    const { lookup } = resolver(['127.0.0.1']);
    await expect(visit(`https://mcp.example:${server.port}/`, { from, lookup })).rejects.toMatchObject({
      code: 'MCP_AUTH_BLOCKED',
    });
    expect(server.sockets).toHaveLength(0);
  });

  test('cannot smuggle a field or a second request', async () => {
    await using server = await peer(ok);
    await visit(`${server.url}a\r\nX-Injected: 1\r\n\r\nGET /admin HTTP/1.1?b\r\nc`);
    expect(server.asked.map(({ url }) => url)).toEqual(['/aX-Injected:%201GET%20/admin%20HTTP/1.1?bc']);
    expect(server.asked[0]?.headers['x-injected']).toBeUndefined();
  });
});

test('a field with a line break is refused before anything is sent, and not quoted', async () => {
  await using server = await peer(ok);
  const headers = { authorization: 'Bearer secret\r\nX-Injected: 1' };
  const failure = await guardedWeb({ from: local })({ ...get(server.url), headers }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'MCP_UNREACHABLE', message: expect.not.stringContaining('secret') });
  expect(server.asked).toHaveLength(0);
});

test('every request is traced, without its query, its body and its credentials', async () => {
  verifies('SEC-052');
  await using server = await peer((request, response) => {
    if (request.url === '/old?code=secret') response.writeHead(301, { location: '/new?code=secret' }).end();
    else response.writeHead(400, JSON_TYPE).end('{"error":"secret"}');
  });
  const told: TraceStep[] = [];
  const web = guardedWeb({ from: local, trace: (step) => void told.push(step) });
  await web({ ...get(`${server.url}old?code=secret`), headers: { authorization: 'Bearer secret' } });
  await web({
    step: 'token',
    method: 'POST',
    url: `${server.url}token`,
    body: new URLSearchParams({ code: 'secret' }),
  });
  await web(get('https://169.254.169.254/secret?token=secret')).catch(() => undefined);
  expect(told).toEqual([
    { step: 'metadata', of: `${server.url}old`, outcome: 'asked', why: 'GET, status 301, redirected' },
    { step: 'metadata', of: `${server.url}new`, outcome: 'asked', why: 'GET, status 400, JSON' },
    { step: 'token', of: `${server.url}token`, outcome: 'asked', why: 'POST, status 400, JSON' },
    {
      step: 'metadata',
      of: 'https://169.254.169.254/secret',
      outcome: 'failed',
      why: '169.254.169.254 is in a reserved address range',
    },
  ]);
});
