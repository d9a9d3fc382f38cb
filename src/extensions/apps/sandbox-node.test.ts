import { request } from 'node:http';
import { type AddressInfo, connect, createServer, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { McpError } from '../../errors.ts';
import { sandboxServer } from './sandbox-node.ts';
import type { SandboxedView, SandboxServer } from './sandbox-types.ts';
import { readViewSettings } from './view-policy.ts';

const host = 'http://localhost:3000';
const html = '<!doctype html><title>A view</title>';
const { settings } = readViewSettings({ permissions: { camera: {} } });

let sandbox: SandboxServer;
beforeAll(async () => {
  sandbox = await sandboxServer({ maxViews: 2 });
});
afterAll(() => sandbox.close());

interface Received {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** As a browser asks, without its resolver. */
function get(url: string, extra: Record<string, string> = {}, method = 'GET'): Promise<Received> {
  const { host, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: pathname + search, method, headers: { host, ...extra } };
    request(options, (response) => {
      const { statusCode: status, headers } = response;
      text(response).then((body) => resolve({ status, headers, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

function directives(policy: unknown): ReadonlyMap<string, string> {
  const parts = String(policy).split('; ');
  return new Map(parts.map((part) => [part.split(' ', 1)[0] ?? '', part.slice(part.indexOf(' ') + 1)]));
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as McpError).code; // what the sandbox throws
  }
}

async function opened(use: (view: SandboxedView) => Promise<void>): Promise<void> {
  const view = sandbox.open({ html, settings }, host);
  try {
    await use(view);
  } finally {
    view.close();
  }
}

test('a view is a response with its own policy, which names every page around it', () =>
  opened(async ({ viewUrl, proxyUrl }) => {
    const { status, headers, body } = await get(viewUrl, { 'sec-fetch-dest': 'iframe' });
    expect([status, body]).toEqual([200, html]);
    const policy = directives(headers['content-security-policy']);
    expect(policy.get('frame-ancestors')).toBe(`${new URL(proxyUrl).origin} ${host}`);
    expect(policy.get('sandbox')).toBe('allow-scripts allow-forms allow-same-origin');
    expect(policy.get('connect-src')).toBe("'none'");
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
    });
    expect(headers['permissions-policy']).toContain('camera=(self), microphone=()');
  }));

test('the proxy page frames one URL, runs one script, and can be framed only by the host', () =>
  opened(async ({ proxyUrl, viewUrl, allow }) => {
    const { headers, body } = await get(proxyUrl);
    const policy = directives(headers['content-security-policy']);
    expect(policy.get('frame-src')).toBe(viewUrl);
    expect(body).toContain(`"viewOrigin":"${new URL(viewUrl).origin}"`);
    expect(policy.get('frame-ancestors')).toBe(host);
    for (const name of ['default-src', 'base-uri', 'form-action']) expect(policy.get(name)).toBe("'none'");
    const nonce = /^'nonce-([\w+/=]{24})'$/.exec(policy.get('script-src') ?? '')?.[1];
    expect(body).toContain(`<script nonce="${nonce}">`);
    expect([allow, headers['permissions-policy']]).toEqual([
      'camera',
      expect.stringContaining('camera=*, microphone=()'),
    ]);
    const again = await get(proxyUrl);
    expect(again.body).toBe(body);
  }));

test('Connection-Allowlist lets a view connect to the origins in its settings, and the proxy only to the view', async () => {
  const domains = { connectDomains: ['https://a.example'], resourceDomains: ['https://b.example'] };
  const named = readViewSettings({ csp: { ...domains, frameDomains: ['https://c.example'] } });
  const view = sandbox.open({ html, settings: named.settings }, host);
  const reachableFrom = async (url: string): Promise<unknown> => (await get(url)).headers['connection-allowlist'];
  const own = new URL(view.viewUrl).origin;
  const end = ';redirects=allow;webrtc=block';
  expect(await reachableFrom(view.proxyUrl)).toBe(`(response-origin "${own}/*")${end}`);
  expect(await reachableFrom(view.viewUrl)).toBe(
    `(response-origin "https://a.example/*" "https://b.example/*" "https://c.example/*")${end}`,
  );
  view.close();
});

test('each view has an origin of its own that cannot be guessed', async () => {
  await opened(async (one) =>
    opened(async (other) => {
      const origins = [one.proxyUrl, one.viewUrl, other.proxyUrl, other.viewUrl].map((url) => new URL(url).origin);
      expect(new Set(origins).size).toBe(4);
      for (const origin of origins) expect(origin).toMatch(/^http:\/\/v-[\da-f]{32}(?:-c)?\.localhost:\d+$/);
      // Random, and no number that counts.
      for (const origin of origins) expect(new Set(/v-([\da-f]+)/.exec(origin)?.[1]).size).toBeGreaterThan(5);
    }),
  );
});

test('only a frame gets a page, under its own name, until the view is closed', () =>
  opened(async (view) => {
    const { viewUrl, plainUrl } = view;
    const statusOf = async (...request: Parameters<typeof get>): Promise<unknown> => (await get(...request)).status;
    for (const destination of ['document', 'script', 'serviceworker', 'empty', 'object', 'embed'])
      expect(await statusOf(viewUrl, { 'sec-fetch-dest': destination })).toBe(404);
    for (const name of ['localhost', 'evil.example', `127.0.0.1:${sandbox.port}`, new URL(viewUrl).hostname])
      expect(await statusOf(viewUrl, { host: name })).toBe(404);
    expect(await statusOf(plainUrl, { host: `evil.example:${sandbox.port}` })).toBe(404);
    expect(await statusOf(`${viewUrl}other`)).toBe(404);
    expect(await statusOf(viewUrl, {}, 'POST')).toBe(404);
    expect(await statusOf(`${viewUrl}?reloaded`)).toBe(200);
    view.close();
    for (const url of [viewUrl, view.proxyUrl, plainUrl]) expect(await statusOf(url)).toBe(404);
  }));

test('at the plain URL, a view has an opaque origin, and its proxy frames only its path', () =>
  opened(async ({ plainUrl }) => {
    const { headers, body } = await get(plainUrl);
    const proxy = directives(headers['content-security-policy']);
    expect(body).toContain('"viewOrigin":"null"');
    const viewUrl = proxy.get('frame-src') ?? '';
    expect(viewUrl).toBe(`${plainUrl.slice(0, -1)}-c/`);
    const view = directives((await get(viewUrl)).headers['content-security-policy']);
    expect(view.get('sandbox')).toBe('allow-scripts allow-forms');
    expect(view.get('frame-ancestors')).toBe(`${new URL(plainUrl).origin} ${host}`);
  }));

test('the number and size of views are limited', async () => {
  const views = [1, 2].map(() => sandbox.open({ html, settings }, host));
  expect(codeOf(() => sandbox.open({ html, settings }, host))).toBe('MCP_BAD_DEFINITION');
  for (const view of views) view.close();
  const most = 4 * 1024 * 1024;
  expect(codeOf(() => sandbox.open({ html: 'é'.repeat(most / 2 + 1), settings }, host))).toBe('MCP_TOO_LARGE');
  sandbox.open({ html: 'x'.repeat(most), settings }, host).close();
});

test('a sandbox serves 64 views by default, and none once it is closed', async () => {
  const one = await sandboxServer();
  const views = Array.from({ length: 64 }, () => one.open({ html, settings }, host));
  expect(codeOf(() => one.open({ html, settings }, host))).toBe('MCP_BAD_DEFINITION');
  const last = views.at(-1)?.viewUrl ?? '';
  expect((await get(last)).status).toBe(200);
  await one.close();
  await expect(get(last)).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN/) });
});

test('the origin of the host page cannot add to a policy', () => {
  for (const origin of ['*', 'null', 'http://a.example; script-src *', 'http://a.example/path', '</script>', ''])
    expect(codeOf(() => sandbox.open({ html, settings }, origin))).toBe('MCP_BAD_DEFINITION');
  sandbox.open({ html, settings }, host).close();
});

const families = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).filter(({ internal }) => internal));

test.each(families.map(({ address }) => address))(
  'a sandbox takes no port that another program has on %s',
  async (at) => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, at, resolve));
    const { port } = squatter.address() as AddressInfo; // a TCP server that listens
    await expect(sandboxServer({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await new Promise((resolve) => squatter.close(resolve));
  },
);

/** Makes listening on IPv6 fail with this error, this often, and then listens on IPv4 instead. Returns the servers of all attempts. */
function failOnIpv6(code: string, times: number): Server[] {
  const servers: Server[] = [];
  const listen = Server.prototype.listen as (this: Server, port: number, host: string) => Server; // as the sandbox calls it
  const spy = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...to: unknown[]) {
    const [port, host] = to as [number, string]; // likewise
    if (host !== '::1') {
      servers.push(this);
      return listen.call(this, port, host);
    }
    if (servers.length > times) return listen.call(this, 0, '127.0.0.1');
    queueMicrotask(() => this.emit('error', Object.assign(new Error(code), { code })));
    return this;
  });
  onTestFinished(() => spy.mockRestore());
  return servers;
}

test('a port that is taken on the other family is given back, and another is tried', async () => {
  const servers = failOnIpv6('EADDRINUSE', 19);
  const one = await sandboxServer();
  expect(servers.map(({ listening }) => listening)).toEqual([...Array(19).fill(false), true]);
  await one.close();
});

test('a sandbox fails after 20 ports, and closes all of them', async () => {
  const servers = failOnIpv6('EADDRINUSE', 20);
  await expect(sandboxServer()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(servers.map(({ listening }) => listening)).toEqual(Array(20).fill(false));
});

test('a machine without IPv6 serves views all the same', async () => {
  const servers = failOnIpv6('EADDRNOTAVAIL', 1);
  const one = await sandboxServer();
  expect((await get(one.open({ html, settings }, host).viewUrl)).status).toBe(200);
  await one.close();
  expect(servers.map(({ listening }) => listening)).toEqual([false]);
});

test('a sandbox that closes does not wait for a browser that is still sending', async () => {
  const one = await sandboxServer();
  const browser = connect(one.port, '127.0.0.1');
  const [isConnected, isClosed] = ['connect', 'close'].map((event) => new Promise((done) => browser.once(event, done)));
  await isConnected;
  browser.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: ');
  await one.close();
  await isClosed;
});
