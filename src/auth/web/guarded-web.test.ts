import { afterEach, describe, expect, test, vi } from 'vitest';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { type GuardedWebOptions, guardedWeb, type Web } from './guarded-web.ts';
import type { FetchFunction } from './http-sender.ts';
import type { TraceStep } from './trace.ts';

const from = new URL('https://mcp.example/mcp');

interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly method: string | undefined;
}

interface Visited {
  readonly web: Web;
  readonly asked: Asked[];
  readonly told: TraceStep[];
}

/** A fake web with these pages, by URL. */
function visited(pages: Readonly<Record<string, () => Response>>, options: GuardedWebOptions = {}): Visited {
  const asked: Asked[] = [];
  const told: TraceStep[] = [];
  const fetch: FetchFunction = async (url, { method, headers, body }) => {
    asked.push({ url: url.href, headers: headers as Record<string, string>, body, method }); // a plain object is passed
    return pages[url.href]?.() ?? new Response(null, { status: 404 });
  };
  return { asked, told, web: guardedWeb({ from, fetch, trace: (step) => void told.push(step), ...options }) };
}

const json = (value: unknown, type = 'application/json'): Response =>
  new Response(typeof value === 'string' ? value : JSON.stringify(value), { headers: { 'content-type': type } });
const moved = (to: string, status = 302): Response => new Response(null, { status, headers: { location: to } });
const get = (url: string) => ({ step: 'metadata', method: 'GET', url }) as const;

describe('a request', () => {
  test('guardedWeb() accepts JSON and returns status, fields and value', async () => {
    const { web, asked } = visited({ 'https://as.example/m': () => json({ issuer: 'x' }) });
    const answer = await web(get('https://as.example/m'));
    expect(answer).toMatchObject({ status: 200, json: { issuer: 'x' } });
    expect(answer.header('content-type')).toBe('application/json');
    expect(asked).toMatchObject([{ method: 'GET', headers: { accept: 'application/json' }, body: undefined }]);
  });

  test('guardedWeb() posts forms and JSON', async () => {
    const { web, asked } = visited({});
    const post = { step: 'token', method: 'POST', url: 'https://as.example/t' } as const;
    await web({ ...post, body: new URLSearchParams({ a: 'b c' }), headers: { authorization: 'Basic x' } });
    await web({ ...post, body: { json: { a: 1 } } });
    expect(asked).toMatchObject([
      { body: 'a=b+c', headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic x' } },
      { body: '{"a":1}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  test.each([
    'http://127.0.0.1/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'file:///etc/passwd',
    'nonsense',
    '',
  ])('a request to %j is blocked', async (url) => {
    verifies('SEC-017');
    const { web, asked, told } = visited({});
    await expect(web(get(url))).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED', kind: 'auth' });
    expect(asked).toEqual([]);
    expect(told).toMatchObject([{ step: 'metadata', outcome: 'failed' }]);
  });

  test('a failed request names the URL and the reason', async () => {
    const fetch = (): Promise<Response> =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('no route') }));
    const { web, told } = visited({}, { fetch });
    const error = {
      code: 'MCP_UNREACHABLE',
      message: 'https://as.example/m cannot be reached: fetch failed: no route',
    };
    await expect(web(get('https://as.example/m?code=secret'))).rejects.toMatchObject(error);
    expect(told).toEqual([
      { step: 'metadata', of: 'https://as.example/m', outcome: 'failed', why: 'fetch failed: no route' },
    ]);
  });

  test('a request takes ten seconds at most, even with a fetch that ignores its signal', async () => {
    const clock = new HeldClock();
    const signals: AbortSignal[] = [];
    const fetch: FetchFunction = (_, { signal }) => {
      if (signal instanceof AbortSignal) signals.push(signal);
      return new Promise(() => undefined);
    };
    const { web } = visited({}, { fetch, clock });
    const outcome = web(get('https://as.example/m')).catch((error: unknown) => error);
    await settled();
    await clock.pass(10_000);
    expect(await outcome).toMatchObject({
      code: 'MCP_TIMEOUT',
      message: expect.stringContaining('request for metadata'),
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('a redirect', () => {
  test('up to three redirects in a row are followed and traced', async () => {
    const chain = Object.fromEntries(
      [0, 1, 2, 3].map((i) => [`https://as.example/${i}`, () => moved(`/${i + 1}`, 301 + (i % 2))]),
    );
    const { web, told } = visited({ ...chain, 'https://as.example/4': () => json({ ok: true }) });
    expect((await web(get('https://as.example/1'))).json).toEqual({ ok: true });
    const traced = ['GET, status 302, redirected', 'GET, status 301, redirected', 'GET, status 302, redirected'];
    expect(told).toEqual(
      [...traced, 'GET, status 200, JSON'].map((why, i) => ({
        ...{ step: 'metadata', of: `https://as.example/${i + 1}`, outcome: 'asked', why },
      })),
    );
    await expect(web(get('https://as.example/0'))).rejects.toMatchObject({
      code: 'MCP_AUTH_BLOCKED',
      message: expect.stringContaining('it is redirect number 4 in a row'),
    });
  });

  test.each([
    'http://127.0.0.1:6379/',
    'https://localhost/',
    'https://192.168.1.1/admin',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::ffff:10.0.0.1]/',
    '//10.0.0.1/',
    'http://as.example/',
    'https://user@as.example/',
    'file:///etc/passwd',
    'https://',
    '',
  ])('the target of a redirect is checked like the first URL: %j', async (to) => {
    verifies('SEC-020');
    const start = 'https://as.example/m';
    // An empty Location resolves to the same URL.
    const { web, asked } = visited({ [start]: () => moved(to) });
    await expect(web(get(start))).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
    expect(asked.filter(({ url }) => url !== start)).toEqual([]);
  });

  test.each([
    'https://b.example/m',
    'https://www.as.example/m',
    'https://as.example:8443/m',
    'https://as.example.evil.example/m',
  ])('a redirect to another origin is blocked: %j', async (to) => {
    const start = 'https://as.example/m';
    const { web, asked } = visited({ [start]: () => moved(to), [to]: () => json({ issuer: 'https://as.example' }) });
    await expect(web(get(start))).rejects.toMatchObject({
      code: 'MCP_AUTH_BLOCKED',
      message: expect.stringContaining('another origin'),
    });
    expect(asked.map(({ url }) => url)).toEqual([start]);
  });

  test('a redirect carries no credentials', async () => {
    const pages = { 'https://a.example/': () => moved('/m'), 'https://a.example/m': () => json({}) };
    const { web, asked } = visited(pages);
    const headers = { authorization: 'Bearer secret', dpop: 'proof', cookie: 'a=b', 'x-key': 'secret' };
    await web({ ...get('https://a.example/'), headers });
    expect(asked.map((request) => request.headers)).toEqual([
      { accept: 'application/json', ...headers },
      { accept: 'application/json' },
    ]);
  });

  test.each([301, 302, 303, 307, 308])('a redirect of a POST is blocked: %s', async (status) => {
    const { web, asked } = visited({ 'https://as.example/t': () => moved('https://b.example/', status) });
    const body = new URLSearchParams({ code: 'secret' });
    await expect(web({ step: 'token', method: 'POST', url: 'https://as.example/t', body })).rejects.toMatchObject({
      code: 'MCP_AUTH_BLOCKED',
      message: expect.stringContaining('https://b.example/: a POST'),
    });
    expect(asked).toHaveLength(1);
  });

  test('a redirect that the browser hides (opaqueredirect) is rejected as a redirect', async () => {
    const opaque = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
    const { web } = visited({ 'https://as.example/m': () => opaque });
    await expect(web(get('https://as.example/m'))).rejects.toThrow('hides the target');
  });
});

describe('an answer', () => {
  const answered = async (response: () => Response): Promise<unknown> => {
    const { web } = visited({ 'https://as.example/m': response });
    return (await web(get('https://as.example/m'))).json;
  };
  const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

  test.each(['application/json', 'Application/JSON; charset=utf-8', 'application/jwk-set+json'])(
    'counts when its type is JSON: %s',
    async (type) => {
      expect(await answered(() => json({ a: 1 }, type))).toEqual({ a: 1 });
    },
  );

  test.each(['text/html', 'text/plain', 'application/x-json', 'image/svg+json', '', 'application/jsonx'])(
    'does not count when its type is %j',
    async (type) => {
      expect(await answered(() => json({ a: 1 }, type))).toBeUndefined();
    },
  );

  test.each(['', 'nonsense', '{"a":', '\ud800'])(
    'a body that is not valid JSON counts as no JSON: %j',
    async (text) => {
      expect(await answered(() => json(text))).toBeUndefined();
    },
  );

  test('a body that is not UTF-8 counts as no JSON', async () => {
    const bytes = new Uint8Array([0x22, 0xff, 0x22]);
    const headers = { 'content-type': 'application/json' };
    expect(await answered(() => new Response(bytes, { headers }))).toBeUndefined();
  });

  test('a body that is nested deeper than 32 levels counts as no JSON', async () => {
    expect(await answered(() => json(nested(32)))).toBeDefined();
    expect(await answered(() => json(nested(34)))).toBeUndefined();
    expect(await answered(() => json(nested(100_000)))).toBeUndefined();
  });

  test('a body over one megabyte is rejected', async () => {
    expect(await answered(() => json(`"${'x'.repeat(1024 * 1024 - 2)}"`))).toHaveLength(1024 * 1024 - 2);
    await expect(answered(() => json(`"${'x'.repeat(1024 * 1024)}"`))).rejects.toMatchObject({ code: 'MCP_TOO_LARGE' });
  });
});

describe('without a fetch of its own', () => {
  afterEach(() => void vi.unstubAllGlobals());

  test('every address of a name is checked before anything is sent to one of them', async () => {
    verifies('SEC-020');
    const asked: string[] = [];
    const fetched = vi.fn();
    vi.stubGlobal('fetch', fetched);
    const lookup = async (name: string): Promise<readonly string[]> => {
      asked.push(name);
      return ['93.184.216.34', '10.0.0.1'];
    };
    const web = guardedWeb({ from, lookup });
    await expect(web(get('https://as.example/m'))).rejects.toMatchObject({
      code: 'MCP_AUTH_BLOCKED',
      message: expect.stringContaining('10.0.0.1'),
    });
    expect(asked).toEqual(['as.example']);
    expect(fetched).not.toHaveBeenCalled();
  });

  test('a runtime that is not Node uses its fetch', async () => {
    const fetched = vi.fn(async () => json({ ok: true }));
    vi.stubGlobal('fetch', fetched);
    vi.stubGlobal('process', undefined);
    expect((await guardedWeb({ from })(get('https://as.example/m'))).json).toEqual({ ok: true });
    expect(fetched).toHaveBeenCalledOnce();
  });
});

test('text that is not a URL is quoted by its beginning, without control characters', async () => {
  const { web, told } = visited({});
  const blocked = { code: 'MCP_AUTH_BLOCKED', message: expect.stringContaining('"no\\u001burl"') };
  await expect(web(get('no\u001burl'))).rejects.toMatchObject(blocked);
  await expect(web(get('x'.repeat(101)))).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
  expect(told.map(({ of }) => of)).toEqual(['"no\\u001burl"', `"${'x'.repeat(100)}"`]);
});
