/** Sign-in with a browser that is redirected to a real port. */
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../../../test/support/free-port.ts';
import { HeldClock } from '../../../../test/support/held-clock.ts';
import { ask, bytes, failureAt, open } from '../../../../test/support/http-raw.ts';
import { soon } from '../../../../test/support/soon.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { type BrowserSignInOptions, browserSignIn } from './browser-sign-in.ts';
import type { SignInAttempt } from './sign-in.ts';

const authorizationUrl = 'https://auth.example/authorize?state=s1&scope=a+b';
const get = { method: 'GET' } as const;

interface Begun extends AsyncDisposable {
  readonly attempt: SignInAttempt;
  /** The URLs opened in the browser. */
  readonly opened: string[];
  readonly clock: HeldClock;
}

async function begun(options: BrowserSignInOptions = {}, known?: readonly string[]): Promise<Begun> {
  const opened: string[] = [];
  const clock = new HeldClock();
  const attempt = await browserSignIn({ open: (url) => opened.push(url), clock, ...options }).begin(known);
  return { attempt, opened, clock, [Symbol.asyncDispose]: () => attempt.close() };
}

/**
 * Begins again on a port that was just closed. A process that another test starts holds a copy of each socket until its program is
 * loaded, so the port can be in use a moment longer.
 */
const begunOn = (redirectUri: string, options: BrowserSignInOptions, known?: readonly string[]): Promise<Begun> =>
  soon(async () => {
    const sign = await begun(options, known);
    if (sign.attempt.redirectUri === redirectUri) return sign;
    await sign.attempt.close();
    throw new Error(`${sign.attempt.redirectUri} instead of ${redirectUri}`);
  });

/** Starts to wait without being asked, so that a test can check what happens meanwhile. */
function finishing({ attempt }: Begun, url: string = authorizationUrl): Promise<string> {
  const finished = attempt.finish(url);
  finished.catch(() => undefined);
  return finished;
}

describe('a browser that comes back', () => {
  test('is taken in once, thanked, and not waited for any longer', async () => {
    verifies('AUTH-106');
    await using sign = await begun();
    const { attempt, opened } = sign;
    expect(attempt.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const finished = finishing(sign);
    const callback = `${attempt.redirectUri}?code=c1&state=s1&iss=https%3A%2F%2Fauth.example`;
    const { status, text } = await ask(callback, get);
    expect([status, await finished, opened]).toEqual([200, callback, [authorizationUrl]]);
    expect(text).toContain('You can close this window');
    expect(sign.clock.pending).toBe(0);
    expect(await failureAt(callback)).toBe('ECONNREFUSED');
  });

  test.each(['code=secret-code', 'error=access_denied&error_description=%3Cscript%3Esecret-code'])(
    'with %s sees a page that can do nothing and repeats nothing',
    async (answer) => {
      await using sign = await begun();
      const finished = finishing(sign);
      const { headers, text } = await ask(`${sign.attempt.redirectUri}?${answer}&state=s1`, get);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      for (const word of ['secret-code', 'script', 'access_denied', 's1']) expect(text).not.toContain(word);
      expect(text.includes('Not signed in')).toBe(answer.startsWith('error'));
      expect(await finished).toContain(answer);
    },
  );

  test('with another state, or none, does not end the wait', async () => {
    await using sign = await begun();
    const finished = finishing(sign);
    const { redirectUri } = sign.attempt;
    for (const query of ['?code=c1', '?code=c1&state=s2', '', '?error=access_denied&state=']) {
      expect((await ask(redirectUri + query, get)).status).toBe(400);
    }
    await ask(`${redirectUri}?code=c2&state=s1`, get);
    expect(await finished).toBe(`${redirectUri}?code=c2&state=s1`);
  });

  test('twice is refused the second time, on a connection that was there before', async () => {
    await using sign = await begun();
    const finished = finishing(sign);
    const { redirectUri } = sign.attempt;
    const { host } = new URL(redirectUri);
    const early = await open(redirectUri);
    let heard = '';
    early.setEncoding('latin1').on('data', (chunk: string) => {
      heard += chunk;
    });
    await ask(`${redirectUri}?code=c1&state=s1`, get);
    early.write(`GET /callback?code=c2&state=s1 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await once(early, 'close');
    // Node 26 closes a connection without a request.
    expect(heard).toMatch(/^$|^HTTP\/1\.1 410 [\s\S]*The application no longer waits for this response/);
    expect(await finished).toBe(`${redirectUri}?code=c1&state=s1`);
  });

  test('a redirect before the authorization URL is opened is rejected', async () => {
    await using sign = await begun();
    expect((await ask(`${sign.attempt.redirectUri}?code=c1&state=s1`, get)).status).toBe(410);
  });
});

describe('another client of the port', () => {
  test('finds nothing: other paths, other methods, other names for this machine', async () => {
    await using sign = await begun();
    const finished = finishing(sign);
    const { origin, port, host } = new URL(sign.attempt.redirectUri);
    const answer = '?code=evil&state=s1';
    const statuses = await Promise.all([
      ask(`${origin}/favicon.ico`, get),
      ask(`${origin}/`, get),
      ask(`${origin}/callback/${answer}`, get),
      ask(`${origin}/callback${answer}`, { method: 'POST' }),
      ask(`${origin}/callback${answer}`, { method: 'HEAD' }),
      ask(`${origin}/callback${answer}`, { ...get, headers: { host: `localhost:${port}` } }),
      ask(`${origin}/callback${answer}`, { ...get, headers: { host: `rebound.example:${port}` } }),
      ask(`${origin}/callback${answer}`, { ...get, headers: { host: '127.0.0.1' } }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 405, 405, 403, 403, 403]);
    expect(statuses[3]?.headers.allow).toBe('GET');
    for (const target of [`http://evil.example/callback${answer}`, `//evil.example/callback${answer}`]) {
      expect(await bytes(origin, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    }
    await ask(`${sign.attempt.redirectUri}?code=c1&state=s1`, get);
    expect(await finished).toContain('code=c1');
  });

  test('a silent connection does not delay the redirect', async () => {
    await using sign = await begun();
    const finished = finishing(sign);
    const idle = await Promise.all(Array.from({ length: 20 }, () => open(sign.attempt.redirectUri)));
    await ask(`${sign.attempt.redirectUri}?code=c1&state=s1`, get);
    expect(await finished).toContain('code=c1');
    const gone = Promise.all(idle.map((socket) => once(socket, 'close')));
    await sign.attempt.close();
    await gone;
  });
});

describe('the address to open', () => {
  test('is handed over in the spelling of the standard', async () => {
    verifies('SEC-037');
    await using sign = await begun();
    const finished = finishing(sign, 'HTTPS://AUTH.example/a b?state=s1"&x=$(calc)');
    await ask(`${sign.attempt.redirectUri}?code=c1&state=s1%22`, get);
    await finished;
    expect(sign.opened).toEqual(['https://auth.example/a%20b?state=s1%22&x=$(calc)']);
  });

  test.each(['file:///bin/sh', 'javascript:alert(1)', 'http://auth.example/', 'ms-calculator:', '--help'])(
    'is not %s',
    async (url) => {
      verifies('SEC-037', 'SEC-038', 'SEC-039');
      await using sign = await begun();
      await expect(sign.attempt.finish(url)).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
      expect(sign.opened).toEqual([]);
    },
  );

  test('the URL is printed to standard error without open', async () => {
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      await using sign = await begun({ open: undefined });
      const finished = finishing(sign);
      await ask(`${sign.attempt.redirectUri}?code=c1&state=s1`, get);
      await finished;
      expect(printed.mock.calls).toEqual([[`Open this address to sign in: ${authorizationUrl}\n`]]);
    } finally {
      printed.mockRestore();
    }
  });

  test('cannot be opened: the error says so, and nothing of the exception', async () => {
    await using sign = await begun({ open: () => Promise.reject(new Error('spawn /home/ada/xdg-open')) });
    const failure = await finishing(sign).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'MCP_AUTH_FAILED', message: expect.stringContaining('could not be opened') });
    expect(String(failure)).not.toContain('ada');
  });

  test('may be opened by something that ends only with the browser', async () => {
    await using sign = await begun({ open: () => new Promise(() => undefined) });
    const finished = finishing(sign);
    await ask(`${sign.attempt.redirectUri}?code=c1&state=s1`, get);
    expect(await finished).toContain('code=c1');
  });
});

describe('waiting', () => {
  test('the wait ends after five minutes, and the error counts rejected responses', async () => {
    await using sign = await begun();
    const finished = finishing(sign);
    await ask(`${sign.attempt.redirectUri}?code=c1&state=s2`, get);
    expect(sign.clock.waits).toEqual([300_000]);
    await sign.clock.pass(300_000);
    await expect(finished).rejects.toThrow(
      'Signing in for https://auth.example failed at the browser: the user did not return within 300000 ms (timeoutMs); responses without our state: 1',
    );
    expect(await failureAt(sign.attempt.redirectUri)).toBe('ECONNREFUSED');
  });

  test('the wait ends when it is cancelled, and the port is closed', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
    const sign = await begun({ redirectUri, timeoutMs: 1_000 });
    const finished = finishing(sign);
    expect(sign.clock.waits).toEqual([1_000]);
    await sign.attempt.close();
    await expect(finished).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    await sign.attempt.close();
    await expect(sign.attempt.finish(authorizationUrl)).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    await using again = await begunOn(redirectUri, { redirectUri });
    expect(again.opened).toEqual([]);
  });
});

describe('the port', () => {
  test('is one that was used before, if it is free', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
    const first = await begun({ redirectUri });
    await using busy = await begun({}, [redirectUri]);
    expect(busy.attempt.redirectUri).not.toBe(redirectUri);
    await first.attempt.close();
    await using again = await begunOn(redirectUri, {}, ['https://app.example/callback', 'no URL', redirectUri]);
    expect(again.opened).toEqual([]);
  });

  test('is not taken from an address that differs in anything else', async () => {
    const port = await freePort();
    const others = [`http://localhost:${port}/callback`, `http://127.0.0.1:${port}/other`, 'http://127.0.0.1/callback'];
    others.push(`https://127.0.0.1:${port}/callback`, `http://127.0.0.1:${port}/callback?x=1`);
    await using sign = await begun({}, others);
    expect(new URL(sign.attempt.redirectUri).port).not.toBe(`${port}`);
  });

  test('is the one that the authorization server knows, with its name and path', async () => {
    const port = await freePort();
    const redirectUri = `http://localhost:${port}/oauth/back`;
    // A resolver could map the name to another machine.
    const lookup = vi.spyOn(dns, 'lookup');
    await using sign = await begun({ redirectUri });
    expect(lookup.mock.calls.map(([name]) => name)).not.toContain('localhost');
    lookup.mockRestore();
    const finished = finishing(sign);
    // A listener on all addresses would accept this one, too.
    await expect(ask(`http://127.0.0.2:${port}/oauth/back`, get)).rejects.toThrow();
    await ask(`http://127.0.0.1:${port}/oauth/back?code=c1&state=s1`, {
      ...get,
      headers: { host: `localhost:${port}` },
    });
    expect([sign.attempt.redirectUri, await finished]).toEqual([redirectUri, `${redirectUri}?code=c1&state=s1`]);
  });

  test('a port that is in use is named in the error', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on a port
    try {
      await expect(begun({ redirectUri: `http://127.0.0.1:${port}/callback` })).rejects.toThrow(
        `cannot listen on port ${port} (EADDRINUSE)`,
      );
    } finally {
      server.close();
    }
  });
});
