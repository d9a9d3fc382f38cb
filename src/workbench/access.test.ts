/** Attacks on the workbench over real HTTP: foreign origins, wrong tokens, commands typed into a page, secrets in exports. */
import { request as httpRequest } from 'node:http';
import { connect as netConnect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { openTestWorkbench, startPage, type TestWorkbench, tokenIn } from '../../test/support/workbench.ts';
import { workbenchShop } from '../../test/support/workbench-shop.ts';
import { request } from '../jsonrpc/message.ts';
import { virtualClock } from '../testing/virtual-clock.ts';

interface RawResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** Sends a request with any headers, including `Host`, which fetch does not allow. */
function raw(
  origin: string,
  {
    path,
    method = 'GET',
    headers = {},
    body = '',
  }: { path: string; method?: string; headers?: Record<string, string>; body?: string },
): Promise<RawResponse> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hello', params: {} });
const evil = 'http://evil.example';

describe('cross-origin access', () => {
  test('a page of another origin is rejected whatever it sends, and its origin is printed in the terminal once', async () => {
    await using one = await openTestWorkbench();
    const own = one.page.headers;
    const attempts: Parameters<typeof raw>[1][] = [
      { path: '/rpc', method: 'POST', headers: { ...own, Origin: evil }, body: hello },
      { path: '/rpc', method: 'POST', headers: { Origin: evil, Cookie: 't=1' }, body: hello },
      // A `no-cors` request and a form: types that need no preflight.
      { path: '/rpc', method: 'POST', headers: { Origin: evil, 'Content-Type': 'text/plain' }, body: hello },
      {
        path: '/start',
        method: 'POST',
        headers: { Origin: evil, 'Content-Type': 'application/x-www-form-urlencoded' },
      },
      { path: '/rpc', method: 'OPTIONS', headers: { Origin: evil, 'Access-Control-Request-Method': 'POST' } },
      // Images, `EventSource` and frames send no `Origin`, but `Sec-Fetch-Site`.
      { path: '/events', headers: { Authorization: own['Authorization'] ?? '', 'Sec-Fetch-Site': 'same-site' } },
      { path: '/', headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'iframe' } },
      { path: '/page.js', headers: { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Dest': 'script' } },
    ];
    for (const attempt of attempts) {
      const { status, headers, body } = await raw(one.origin, attempt);
      expect([attempt, status]).toEqual([attempt, 403]);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(body).not.toContain('servers');
    }
    expect(one.notes.filter((note) => note.includes(evil))).toHaveLength(1);
  });

  test('a cross-origin request is rejected before its body is read', async () => {
    await using one = await openTestWorkbench();
    const { hostname, port } = new URL(one.origin);
    const headers = { Origin: evil, 'Content-Length': '1000' };
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest({ hostname, port, path: '/rpc', method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      // Never sends the body.
      request.flushHeaders();
    });
    expect(status).toBe(403);
  });

  test('a page of another origin cannot open a WebSocket', async () => {
    await using one = await openTestWorkbench();
    const { port } = new URL(one.origin);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = netConnect(Number(port), '127.0.0.1', () =>
        socket.write(
          `GET /events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${evil}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
        ),
      );
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 403 Forbidden');
    expect(one.notes.join()).toContain(evil);
  });

  test('the page cannot be framed, and can load nothing from other origins', async () => {
    await using one = await openTestWorkbench();
    const { status, headers } = await raw(one.origin, { path: '/', headers: { 'Sec-Fetch-Site': 'none' } });
    expect(status).toBe(200);
    const policy = String(headers['content-security-policy']).split('; ');
    const [, sandbox = '', plain = ''] = policy.find((part) => part.startsWith('frame-src '))?.split(' ') ?? [];
    expect([sandbox, plain]).toEqual([
      expect.stringMatching(/^http:\/\/\*\.localhost:\d+$/),
      `http://127.0.0.1:${sandbox.split(':').at(-1)}`,
    ]);
    expect(plain).not.toBe(one.origin);
    expect(policy.filter((part) => !part.startsWith('frame-src '))).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      'media-src data:',
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(headers).toMatchObject({
      ...{ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
      ...{ 'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin' },
      'cache-control': 'no-store',
    });
    expect(headers['set-cookie']).toBeUndefined();
  });
});

describe('requests and tokens', () => {
  test('a request with another Host, or without the origin of the page, is rejected', async () => {
    await using one = await openTestWorkbench();
    const own = one.page.headers;
    const post = (headers: Record<string, string>) =>
      raw(one.origin, { path: '/rpc', method: 'POST', headers, body: hello });
    const { port } = new URL(one.origin);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `localhost:${port}`,
      '127.0.0.1',
      `127.0.0.1:${Number(port) + 1}`,
    ])
      expect([host, (await post({ ...own, Host: host })).status]).toEqual([host, 403]);
    const { Origin: _, ...without } = own;
    expect((await post(without)).status).toBe(403);
    expect((await post({ ...own, Origin: 'null' })).status).toBe(403);
    expect((await post(own)).status).toBe(200);
  });

  test('a request with a wrong, missing or used token is rejected after a second', async () => {
    const clock = virtualClock();
    await using one = await openTestWorkbench({ clock });
    const { Authorization: _, ...without } = one.page.headers;
    const url = one.invite();
    const token = await startPage(one.origin, url);
    expect(token).not.toBe(tokenIn(url));
    const attempts = [
      raw(one.origin, { path: '/rpc', method: 'POST', headers: without, body: hello }),
      raw(one.origin, {
        path: '/rpc',
        method: 'POST',
        headers: { ...without, Authorization: 'Bearer wrong' },
        body: hello,
      }),
      raw(one.origin, {
        path: '/rpc',
        method: 'POST',
        headers: { ...without, Authorization: `Bearer ${tokenIn(url)}` },
        body: hello,
      }),
      raw(one.origin, {
        path: '/start',
        method: 'POST',
        headers: without,
        body: JSON.stringify({ token: tokenIn(url) }),
      }),
      ...['/events', '/events?since=0', '/blob/x'].map((path) => raw(one.origin, { path, headers: without })),
    ];
    let answered = 0;
    for (const attempt of attempts) void attempt.then(() => answered++);
    await expectWaiting(one, () => answered);
    await clock.advance(999);
    await expectWaiting(one, () => answered);
    const statuses = await settleAll(clock, attempts);
    expect(statuses).toEqual(Array(7).fill(401));
  });

  test('a start token that is three minutes old is rejected', async () => {
    const clock = virtualClock();
    await using one = await openTestWorkbench({ clock });
    const url = one.invite();
    await clock.advance(3 * 60_000);
    const body = JSON.stringify({ token: tokenIn(url) });
    const attempt = raw(one.origin, { path: '/start', method: 'POST', headers: { Origin: one.origin }, body });
    expect(await settleAll(clock, [attempt])).toEqual([401]);
  });

  test('a request for a file outside of the page folder finds nothing', async () => {
    await using one = await openTestWorkbench();
    for (const path of ['/../package.json', '/%2e%2e/package.json', '/..%2fsecrets.js', '/sub/page.js', '/nothing.js'])
      expect([path, (await raw(one.origin, { path })).status]).not.toEqual([path, 200]);
  });
});

/** Expects that no response was sent before the delay ends. */
async function expectWaiting(one: TestWorkbench, answered: () => number): Promise<void> {
  // Authorized requests are answered meanwhile.
  for (let round = 0; round < 5; round++) await one.page.rpc('servers.list', {});
  expect(answered()).toBe(0);
}

async function settleAll(
  clock: ReturnType<typeof virtualClock>,
  attempts: readonly Promise<RawResponse>[],
): Promise<readonly number[]> {
  const all = Promise.all(attempts);
  let isDone = false;
  void all.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (await all).map(({ status }) => status);
}

test('the workbench listens on 127.0.0.1 alone', async () => {
  await using one = await openTestWorkbench();
  const { port, hostname } = new URL(one.origin);
  expect(hostname).toBe('127.0.0.1');
  const others = Object.values(networkInterfaces())
    .flat()
    .flatMap((one) =>
      one === undefined || one.address === '127.0.0.1' || one.address.startsWith('fe80') ? [] : [one.address],
    );
  for (const address of [...others, '::1']) {
    const refused = await new Promise<boolean>((resolve) => {
      const socket = netConnect(Number(port), address, () => {
        socket.destroy();
        resolve(false);
      });
      socket.on('error', () => resolve(true));
    });
    expect([address, refused]).toEqual([address, true]);
  }
});

describe('commands typed into the page', () => {
  test('a typed command is shown in the terminal; if the user declines, nothing starts, and the page gets the reason', async () => {
    const asked: unknown[] = [];
    await using one = await openTestWorkbench({
      confirmCommand: async (command) => {
        asked.push(command);
        return false;
      },
    });
    const definition = { command: 'touch', args: ['/tmp/never'], env: { TOKEN: 'x' } };
    const { error } = await one.page.ask('servers.add', { label: 'mail', definition });
    expect(asked).toEqual([{ label: 'mail', commandLine: 'touch /tmp/never', variables: ['TOKEN'] }]);
    expect(error?.message).toContain('you did not agree in the terminal');
    expect((await one.page.rpc('servers.list', {})).servers).toEqual([]);
    const { params } = await one.page.heard('question', ({ question }) => question.kind === 'command');
    const question = 'question' in params ? params.question.id : '';
    expect(await one.page.rpc('answer', { question, value: { kind: 'input', action: 'accept', text: 'yes' } })).toEqual(
      { taken: false },
    );
  });

  test('the terminal shows exactly the words and the folder that are started, whatever else a page sends', async () => {
    const asked: unknown[] = [];
    await using one = await openTestWorkbench({
      confirmCommand: async (command) => {
        asked.push(command);
        return true;
      },
    });
    const definition = {
      ...{ command: 'touch', args: ['a b', 'c'], cwd: '/tmp/elsewhere' },
      ...{ shownAs: ['echo', 'hello'], envFile: '/tmp/variables', from: { file: 'mcp.json', line: 1, name: 'mail' } },
    };
    const added = await one.page.rpc('servers.add', { label: 'mail', definition });
    expect(asked).toEqual([{ label: 'mail', commandLine: 'touch "a b" c', cwd: '/tmp/elsewhere', variables: [] }]);
    expect(added).toMatchObject({ address: 'touch a b c' });
    expect(added.origin).toBeUndefined();
    const started = { command: 'touch', args: ['a b', 'c'], cwd: '/tmp/elsewhere' };
    expect(one.bench.servers.source('mail')).toEqual(started);
  });

  test('a typed command is added after the user confirms it in the terminal', async () => {
    await using one = await openTestWorkbench({ confirmCommand: async () => true });
    const { stage } = await one.page.rpc('servers.add', { label: 'mail', definition: { command: 'true' } });
    expect(stage).toBe('idle');
  });
});

test('a secret in the URL or in the command line of a server is masked in every export', async () => {
  const secret = 'hunter2-hunter2';
  const echo = { command: 'node', args: ['echo.mjs', '--api-key', secret] };
  const servers = { shop: `http://127.0.0.1:9/mcp?api_key=${secret}`, echo };
  await using one = await openTestWorkbench({ servers, connect: [] });
  for (const server of ['shop', 'echo']) {
    const message = request(1, 'tools/call', { name: 'echo', arguments: { text: 'hello' } });
    one.bench.history.add({ server, at: 0, side: '>', message, masked: message });
    const span = one.bench.history.size;
    for (const as of ['cli', 'test', 'cassette', 'curl', 'json'] as const) {
      const { text } = await one.page.rpc('export', { spans: [span], as });
      expect(text, `${server} as ${as}`).not.toContain(secret);
      expect(text.length).toBeGreaterThan(10);
    }
  }
});

test('a secret in the environment, in arguments and in results is masked in the timeline, in results and in every export', async () => {
  const revealed: string[] = [];
  const confirmReveal = async (what: string) => revealed.push(what) > 1;
  await using one = await openTestWorkbench({ servers: { shop: workbenchShop() }, confirmReveal });
  const secret = 'hunter2-hunter2';
  const args = { text: `Authorization: Bearer ${secret}`, password: secret };
  const outcome = await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: args });
  const { rows } = await one.page.rpc('timeline.page', {});
  const details = await Promise.all(rows.map(({ id }) => one.page.rpc('timeline.message', { id })));
  const span = outcome.span ?? 0;
  const exports = await Promise.all(
    (['cli', 'test', 'cassette', 'curl', 'json'] as const).map((as) => one.page.rpc('export', { spans: [span], as })),
  );
  const decisions = await one.page.rpc('policy.decisions', {});
  for (const shown of [outcome, details, exports, decisions, one.page.events]) {
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(JSON.stringify(shown).length).toBeGreaterThan(10);
  }
  const { masked } = details.find(({ id }) => id === span) ?? { masked: [] };
  expect(masked).toContain('/params/arguments/password');
  const place = '/params/arguments/password';
  const { error } = await one.page.ask('timeline.reveal', { id: span, place });
  expect(error?.message).toContain('you did not agree in the terminal');
  expect(one.notes).toEqual([]);
  expect(await one.page.rpc('timeline.reveal', { id: span, place })).toEqual({ value: secret });
  expect(revealed[1]).toBe(`${place} of message ${span} (shop, tools/call)`);
  expect(one.notes.join()).toContain(revealed[1]);
  // Only one masked value at a time: not the message around it, and nothing else.
  for (const other of ['', '/params', '/params/arguments', '/params/name', '/id'])
    expect((await one.page.ask('timeline.reveal', { id: span, place: other })).error?.message).toContain('not masked');
  expect(revealed).toHaveLength(2);
});

test('pages can send at most 200 requests a second', async () => {
  const clock = virtualClock();
  await using one = await openTestWorkbench({ clock });
  const post = () => raw(one.origin, { path: '/rpc', method: 'POST', headers: one.page.headers, body: hello });
  const statuses = await Promise.all(Array.from({ length: 210 }, async () => (await post()).status));
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
});
