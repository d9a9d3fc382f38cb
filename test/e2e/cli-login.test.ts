/** `mooring login`, `whoami` and `logout` with a real authorization server and a protected server on sockets. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { createServer, httpHandler } from '../../src/index.ts';
import { anybody, authorizationServer, type Honest, leaked, mcp } from '../support/attacked.ts';
import { answered } from '../support/authorization-server.ts';
import { folder, mooring, mooringProcess, type Ran, type RunOptions, self } from '../support/command-line.ts';
import { hasTerminals, PseudoTerminal } from '../support/pseudo-terminal.ts';

/** A user who opens every printed URL, and agrees there. */
const agreeing = (text: string): void => {
  const page = /^ {2}(https?:\S+authorize\S+)$/m.exec(text)?.[1];
  if (page !== undefined) void fetch(page).catch(() => undefined);
};

const login = (url: string, options: RunOptions, ...more: string[]): Promise<Ran> =>
  mooring(['login', url, ...more], { tty: true, onStderr: agreeing, ...options });

/** An MCP server without authorization. */
const open = httpHandler(createServer({ name: 'open', version: '1.0.0', parts: [] }));
const openDoor = (request: Request): Promise<Response> => open(request);

const json = ({ stdout }: Ran): unknown => JSON.parse(stdout);

/** The issued tokens, by kind. */
function revocations({ auth }: Honest): (readonly [string | null, boolean])[] {
  return auth.requests
    .filter(({ path }) => path === '/revoke')
    .map(({ params }) => [params.get('token_type_hint'), auth.isGood(params.get('token') ?? '')]);
}

describe('a user who signs in, and out', () => {
  test('is signed in for every command, with a terminal and without, until the tokens are revoked', async () => {
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin], says: { scopes_supported: ['notes:read'] } }));
    await using at = await folder();
    const [home, url] = [at.path, `${server.origin}/mcp`];
    const first = await login(url, { home });
    expect(first.code).toBe(0);
    expect(first.stdout).toContain(`Signed in to ${url}\n`);
    expect(first.stdout).toMatch(new RegExp(`issuer +${as.origin}\n`));
    expect(first.stdout).toMatch(/scopes +notes:read\n/);
    expect(first.stdout).toMatch(/expires +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ \(in 5 min, renewed when needed\)\n/);
    expect(first.stdout).toContain(join(home, '.local', 'state', 'mooring', 'credentials'));

    const who = await mooring(['whoami', url, '--json'], { home });
    expect(who.code).toBe(0);
    expect(json(who)).toMatchObject({
      signedIn: true,
      url,
      issuer: as.origin,
      scopes: ['notes:read'],
      isRenewable: true,
    });
    expect(await mooring(['call', url, 'echo'], { home })).toMatchObject({ code: 0, stdout: 'hello\n' });

    const again = await login(url, { home, onStderr: () => undefined });
    expect([again.code, again.stdout.split('\n')[0]]).toEqual([0, `Still signed in to ${url}`]);

    const out = await mooring(['logout', url], { home });
    expect([out.code, out.stdout]).toEqual([
      0,
      `Signed out of ${url}\nThe tokens are removed from this machine.\n${as.origin} revoked them.\n`,
    ]);
    expect(revocations(as)).toEqual([
      ['refresh_token', false],
      ['access_token', false],
    ]);
    expect(leaked(as, first.stdout, first.stderr, who.stdout, again.stderr, out.stdout, out.stderr)).toEqual([]);

    expect(await mooring(['whoami', url], { home })).toMatchObject({
      code: 4,
      stdout: `Not signed in: ${url}\nRun \`mooring login ${url}\`.\n`,
    });
    expect(json(await mooring(['whoami', url, '--json'], { home }))).toEqual({ signedIn: false, url });
    expect(await mooring(['logout', url], { home })).toMatchObject({
      code: 0,
      stdout: `You were not signed in to ${url}.\n`,
    });
    const denied = await mooring(['list', url], { home });
    expect([denied.code, denied.stderr]).toEqual([4, expect.stringContaining(`mooring login ${url}`)]);
  });

  test('is shown by name if the issuer sends an ID token, without what a terminal would act on', async () => {
    await using as = await authorizationServer(() => ({ subject: 'ada\u001b[31m' }));
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await folder();
    const url = `${server.origin}/mcp`;
    const { code, stdout } = await login(url, { home: at.path }, '--scope', 'openid');
    expect(code).toBe(0);
    expect(stdout).toMatch(/user +Name of ada/);
    expect(stdout).not.toContain('\u001b');
    const who = json(await mooring(['whoami', url, '--json'], { home: at.path }));
    expect(who).toMatchObject({ user: { name: 'Name of ada\u001b[31m', email: 'ada\u001b[31m@example.com' } });
  });
});

describe('the browser', () => {
  test('is opened with the URL as its only argument', async () => {
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await folder();
    const browser = join(at.path, 'browser');
    const program = `#!${process.execPath}\nconst [, , ...urls] = process.argv; if (urls.length === 1) fetch(urls[0]);\n`;
    await writeFile(browser, program);
    await chmod(browser, 0o700);
    const { PATH = '' } = process.env;
    const env = { PATH, BROWSER: browser };
    const { code, stderr } = await mooring(['login', `${server.origin}/mcp`], { tty: true, home: at.path, env });
    expect(code).toBe(0);
    expect(stderr).toContain(`Your browser opens ${as.origin}.`);
  });

  test('is waited for until Ctrl-C, which ends with 130 and closes the port', async () => {
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const over = new AbortController();
    let redirect = '';
    const onStderr = (text: string): void => {
      const page = /^ {2}(https?:\S+authorize\S+)$/m.exec(text)?.[1];
      if (page !== undefined) redirect = new URL(page).searchParams.get('redirect_uri') ?? '';
      if (text.includes('Ctrl-C')) over.abort();
    };
    const { code } = await mooring(['login', `${server.origin}/mcp`], { tty: true, signal: over.signal, onStderr });
    expect(code).toBe(130);
    await expect(fetch(redirect)).rejects.toThrow('fetch failed');
  });

  test('that says no is reported, with exit code 4', async () => {
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const onStderr = (text: string): void => {
      const page = /^ {2}(https?:\S+authorize\S+)$/m.exec(text)?.[1];
      if (page === undefined) return;
      const { searchParams } = new URL(page);
      const [redirect = '', state = ''] = [searchParams.get('redirect_uri') ?? '', searchParams.get('state') ?? ''];
      void fetch(`${redirect}?error=access_denied&state=${state}&iss=${as.origin}`);
    };
    const { code, stderr } = await mooring(['login', `${server.origin}/mcp`], { tty: true, onStderr });
    expect([code, stderr]).toEqual([4, expect.stringContaining('access_denied')]);
  });
});

describe.skipIf(!hasTerminals)('without a browser on this machine', () => {
  const start = (url: string, home: string): PseudoTerminal => {
    const { PATH = '' } = process.env;
    const argv = [self.command, ...self.args, 'login', url, '--no-browser'];
    return new PseudoTerminal(argv, { PATH, HOME: home, NO_COLOR: '1' });
  };
  const pageIn = ({ text }: PseudoTerminal): string => /https?:\S+authorize\S+/.exec(text)?.[0] ?? '';
  const redirected = async (terminal: PseudoTerminal): Promise<string> =>
    (await fetch(pageIn(terminal), { redirect: 'manual' })).headers.get('location') ?? '';

  test('the user pastes the URL that a browser elsewhere ends at, and a wrong one is asked for again', async () => {
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await folder();
    const url = `${server.origin}/mcp`;
    await using terminal = start(url, at.path);
    await terminal.type('URL: ', 'hello\r');
    await terminal.sees('That is not');
    await terminal.type('URL: ', `${await redirected(terminal)}\r`);
    await terminal.sees(`Signed in to ${url}`);
    expect(await terminal.ended).toBe(0);
    expect(await mooring(['call', url, 'echo'], { home: at.path })).toMatchObject({ code: 0, stdout: 'hello\n' });
  });

  test('Ctrl-C at the question ends with 130, and nothing is stored', async () => {
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await folder();
    const url = `${server.origin}/mcp`;
    await using terminal = start(url, at.path);
    await terminal.type('URL: ', '\u0003');
    expect(await terminal.ended).toBe(130);
    expect((await mooring(['whoami', url], { home: at.path })).code).toBe(4);
  });

  test('the user enters a client, where clients cannot register themselves, and its secret is not shown', async () => {
    const redirectUris = ['http://127.0.0.1:52475/callback'];
    const clients = [{ id: 'by-hand', secret: 'hand-made-secret', redirectUris }];
    await using as = await authorizationServer(() => ({ registration: false, clients }));
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await folder();
    await using terminal = start(`${server.origin}/mcp`, at.path);
    await terminal.sees(`${as.origin} needs a client`);
    await terminal.type('Client ID (empty to stop): ', 'by-hand\r');
    await terminal.type('Client secret (empty if it has none): ', 'hand-made-secret\r');
    await terminal.type('URL: ', '');
    await terminal.type('', `${await redirected(terminal)}\r`);
    await terminal.sees('Signed in');
    expect(await terminal.ended).toBe(0);
    expect(terminal.text).not.toContain('hand-made-secret');
  });
});

describe('a sign-out', () => {
  test('says that an issuer has no revocation endpoint', async () => {
    await using as = await authorizationServer(() => ({ says: { revocation_endpoint: undefined } }));
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await folder();
    const [home, url] = [at.path, `${server.origin}/mcp`];
    await login(url, { home });
    const { code, stdout } = await mooring(['logout', url], { home });
    expect([code, stdout.split('\n')[2]]).toEqual([
      0,
      `${as.origin} has no revocation endpoint. They stay valid there until they expire.`,
    ]);
    expect((await mooring(['whoami', url], { home })).code).toBe(4);
  });

  test('goes to the issuer that gave the token, whatever issuer the server names by then', async () => {
    await using as = await authorizationServer();
    await using thief = await authorizationServer();
    const issuers = [as.origin];
    await using server = await mcp(() => ({ issuers }));
    await using at = await folder();
    const [home, url] = [at.path, `${server.origin}/mcp`];
    await login(url, { home });
    issuers[0] = thief.origin;
    expect(json(await mooring(['logout', url, '--json'], { home }))).toMatchObject({
      issuer: as.origin,
      revocation: 'revoked',
    });
    expect(thief.auth.requests).toEqual([]);
    expect(revocations(as)).toHaveLength(2);
  });

  test.each([
    ['redirects', (origin: string) => new Response(null, { status: 307, headers: { location: `${origin}/take` } })],
    ['fails', () => answered({ error: 'server_error' }, 503)],
  ])('at an endpoint that %s sends the token nowhere else, and removes it', async (_, reply) => {
    await using thief = await anybody(() => () => new Response(null, { status: 200 }));
    await using as = await authorizationServer();
    as.auth.instead.set('/revoke', () => reply(thief.origin));
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await folder();
    const [home, url] = [at.path, `${server.origin}/mcp`];
    await login(url, { home });
    const out = await mooring(['logout', url], { home });
    expect(out.code).toBe(1);
    expect(out.stdout).toContain(`${as.origin} did not revoke them: `);
    expect(thief.knocks).toEqual([]);
    expect(leaked(as, out.stdout, out.stderr)).toEqual([]);
    expect((await mooring(['whoami', url], { home })).code).toBe(4);
  });

  test('of an issuer that cannot be reached removes the tokens, and says why they were not revoked', async () => {
    const issuers: string[] = [];
    await using server = await mcp(() => ({ issuers }));
    await using at = await folder();
    const [home, url] = [at.path, `${server.origin}/mcp`];
    {
      await using as = await authorizationServer();
      issuers[0] = as.origin;
      await login(url, { home });
    }
    const { code, stdout } = await mooring(['logout', url], { home });
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${issuers[0]} did not revoke them: `)]);
    expect((await mooring(['whoami', url], { home })).code).toBe(4);
  });
});

describe('what has no sign-in', () => {
  test('a command, a module and a server with a header of its own are rejected before anything is started', async () => {
    for (const command of ['login', 'logout', 'whoami']) {
      const { code, stderr } = await mooring([command, '--', 'node', 'server.js']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('only a URL has a sign-in')]);
      const alone = await mooring([command]);
      const why = 'error <url | server>: expected the URL of a server, or the name of a configured one\n';
      expect([alone.code, alone.stderr]).toEqual([2, why]);
    }
    const { code, stderr } = await mooring(['login', 'http://127.0.0.1:1/mcp', '--header', 'Authorization: Bearer x']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('an Authorization header')]);
  });

  test('a server that lets everybody in is named as such', async () => {
    await using at = await folder();
    await using server = await mcp(() => ({ issuers: [], instead: openDoor }));
    const { code, stdout } = await mooring(['login', `${server.origin}/mcp`], { home: at.path });
    expect([code, stdout]).toEqual([0, `${server.origin}/mcp does not ask for a sign-in. Nothing was stored.\n`]);
  });
});

test('in a process of its own, a stored sign-in that the issuer no longer renews ends with 4 and names the command', async () => {
  await using as = await authorizationServer();
  let isLocked = false;
  const instead = (request: Request): Response | undefined =>
    isLocked && new URL(request.url).pathname === '/mcp' ? new Response(null, { status: 401 }) : undefined;
  await using server = await mcp(() => ({ issuers: [as.origin], instead }));
  await using at = await folder();
  const [home, url] = [at.path, `${server.origin}/mcp`];
  await login(url, { home });
  isLocked = true;
  as.auth.instead.set('/token', () => answered({ error: 'invalid_grant' }, 400));
  const { code, stderr } = await mooringProcess(['list', url], { home });
  expect([code, stderr]).toEqual([4, expect.stringContaining(`Run \`mooring login ${url}\``)]);
});
