/** Attacks by MCP servers that want a client's tokens or endless sign-ins, over real sockets. */
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type OAuthOptions, oauth } from '../../src/auth/index.ts';
import type { Client } from '../../src/client/index.ts';
import { connect } from '../../src/connect/connect.ts';
import {
  anybody,
  attempt,
  authorizationServer,
  challenge,
  leaked,
  METADATA,
  mcp,
  Person,
} from '../support/attacked.ts';
import { type AuthorizationServerOptions, answered } from '../support/authorization-server.ts';
import { verifies } from '../support/verifies.ts';

const failed = (step: string, why: RegExp) => ({
  code: 'MCP_AUTH_FAILED',
  kind: 'auth',
  details: expect.objectContaining({ step, why: expect.stringMatching(why) }),
});
const callsTool = async (request: Request): Promise<boolean> =>
  request.method === 'POST' && (await request.clone().text()).includes('"tools/call"');

describe('metadata of the resource', () => {
  test.each<[string, (origin: string) => unknown]>([
    ['of another server', () => 'https://victim.example/mcp'],
    ['of another port', (origin) => `${origin.replace(/\d+$/, '1')}/mcp`],
    ['of another path', (origin) => `${origin}/admin`],
    ['of a path that only looks like ours', (origin) => `${origin}/mc`],
    ['of a path below ours', (origin) => `${origin}/mcp/admin`],
    ['with a fragment', (origin) => `${origin}/mcp#x`],
    ['with a user', (origin) => `${origin.replace('//', '//ada@')}/mcp`],
    ['of no resource', () => undefined],
    ['of a list', (origin) => [`${origin}/mcp`]],
  ])('%s is not believed', async (_, resource) => {
    await using as = await authorizationServer();
    await using server = await mcp((origin) => ({ issuers: [as.origin], says: { resource: resource(origin) } }));
    const person = new Person();
    expect((await attempt(server, person)).error).toMatchObject(
      failed('protected resource metadata', /"resource" names .*, not this endpoint/),
    );
    expect(person.visits).toEqual([]);
    expect(as.auth.requests).toEqual([]);
  });

  test.each<[string, (origin: string, other: string) => string]>([
    ['another origin', (_, other) => `${other}/metadata`],
    ['another origin that begins like ours', (origin, other) => `${origin}@${new URL(other).host}/metadata`],
    ['a page of the browser', () => 'javascript:alert(1)'],
    ['a file', () => 'file:///etc/passwd'],
    ['the secrets of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
  ])('is not fetched from %s', async (_, url) => {
    verifies('SEC-017');
    await using other = await anybody(() => () => answered({}));
    await using server = await mcp((origin) => ({
      issuers: [],
      instead: ({ method }) =>
        method === 'POST' ? challenge(401, { resource_metadata: url(origin, other.origin) }) : undefined,
    }));
    expect((await attempt(server, new Person())).error).toMatchObject(
      failed('protected resource metadata', /not its own origin/),
    );
    expect(other.knocks).toEqual([]);
  });

  test.each([
    ['text', 'https://as.example'],
    ['nothing', undefined],
    ['an empty list', []],
    ['numbers', [1]],
    ['no addresses', ['nonsense']],
    ['other kinds of addresses', ['file:///etc/passwd']],
    ['an address with a query', ['https://as.example/?a=b']],
  ])('that names %s as authorization servers is refused', async (_, servers) => {
    await using server = await mcp(() => ({ issuers: [], says: { authorization_servers: servers } }));
    const person = new Person();
    expect((await attempt(server, person)).error).toMatchObject({ code: 'MCP_AUTH_FAILED' });
    expect(person.visits).toEqual([]);
  });

  test('that never ends is given up', async () => {
    const endless = new Response(`"${'x'.repeat(2 * 1024 * 1024)}"`, {
      headers: { 'content-type': 'application/json' },
    });
    await using server = await mcp(() => ({
      issuers: [],
      instead: ({ url }) => (url.endsWith(METADATA) ? endless.clone() : undefined),
    }));
    expect((await attempt(server, new Person())).error).toMatchObject({ code: 'MCP_AUTH_FAILED' });
  });
});

describe('a public server', () => {
  /** Serves `https://mcp.example` and `https://as.example` from sockets; other URLs are requested unchanged. */
  const routed = (hosts: Readonly<Record<string, string>>) => (url: URL, init: RequestInit) => {
    const origin = hosts[url.hostname];
    return fetch(origin === undefined ? url : new URL(url.pathname + url.search, origin), init);
  };

  test.each<[string, (internal: string) => { issuer?: string; says?: Record<string, unknown> }]>([
    ['as an authorization server', (internal) => ({ issuer: internal })],
    ['as a token endpoint', (internal) => ({ says: { token_endpoint: `${internal}/token` } })],
    ['as a registration endpoint', (internal) => ({ says: { registration_endpoint: `${internal}/register` } })],
    ['as an authorization endpoint', (internal) => ({ says: { authorization_endpoint: `${internal}/authorize` } })],
    ['under another name', (internal) => ({ issuer: internal.replace('127.0.0.1', 'localhost') })],
    ['in another spelling', (internal) => ({ issuer: internal.replace('127.0.0.1', '0x7f000001') })],
  ])('does not lead a client to this machine %s', async (_, make) => {
    verifies('SEC-017', 'SEC-019');
    await using internal = await anybody(() => () => answered({ secret: 'of this machine' }));
    const { issuer = 'https://as.example', says = {} } = make(internal.origin);
    await using as = await authorizationServer();
    as.auth.instead.set('/.well-known/oauth-authorization-server', () =>
      answered({
        issuer: 'https://as.example',
        authorization_endpoint: 'https://as.example/authorize',
        token_endpoint: 'https://as.example/token',
        registration_endpoint: 'https://as.example/register',
        code_challenge_methods_supported: ['S256'],
        ...says,
      }),
    );
    await using server = await mcp(() => ({
      issuers: [issuer],
      says: { resource: 'https://mcp.example/mcp' },
      instead: ({ method, headers }) =>
        method === 'POST' && !headers.has('authorization') ? challenge(401, {}) : undefined,
    }));
    const person = new Person();
    const hosts = { 'mcp.example': server.origin, 'as.example': as.origin };
    const fetch = routed(hosts);
    // The browser is not under test here.
    const signIn = {
      begin: async () => ({
        redirectUri: 'http://127.0.0.1:1/callback',
        finish: async (url: string) => {
          person.visits.push(url);
          return `http://127.0.0.1:1/callback?code=c0de-c0de&state=${new URL(url).searchParams.get('state')}`;
        },
        close: async () => undefined,
      }),
    };
    const outcome = connect('https://mcp.example/mcp', { fetch, auth: oauth({ fetch, signIn }) });
    await expect(outcome).rejects.toMatchObject({ kind: 'auth', message: expect.stringMatching(/this machine/) });
    expect(internal.knocks).toEqual([]);
  });
});

describe('a server that is never satisfied', () => {
  test('with any token has a person sign in once', async () => {
    await using as = await authorizationServer();
    await using server = await mcp((origin) => ({
      issuers: [as.origin],
      instead: ({ method }) =>
        method === 'POST'
          ? challenge(401, { resource_metadata: origin + METADATA, error: 'invalid_token' })
          : undefined,
    }));
    const person = new Person();
    const { error, seen } = await attempt(server, person);
    expect(error).toMatchObject(failed('access token', /rejects the token that was just issued/));
    expect(person.visits).toHaveLength(1);
    expect(server.knocks.length).toBeLessThan(8);
    expect(leaked(as, seen)).toEqual([]);
  });

  test('with scopes is asked for the same ones three times', async () => {
    verifies('AUTH-072', 'SEC-048');
    await using as = await authorizationServer();
    await using server = await mcp((origin) => ({
      issuers: [as.origin],
      instead: async (request) =>
        request.headers.has('authorization') && (await callsTool(request))
          ? challenge(403, { error: 'insufficient_scope', scope: 'more', resource_metadata: origin + METADATA })
          : undefined,
    }));
    const person = new Person();
    const errors: unknown[] = [];
    await attempt(server, person, async (client) => {
      for (let i = 0; i < 6; i++) errors.push(await client.call('echo').catch((error: unknown) => error));
    });
    expect(person.visits).toHaveLength(1 + 3);
    expect(errors.at(-1)).toMatchObject(failed('scopes', /needs more, and the server still rejects it/));
  });

  test('that thinks of new scopes each time is not followed for ever', async () => {
    verifies('AUTH-072', 'SEC-048');
    await using as = await authorizationServer();
    let asked = 0;
    await using server = await mcp((origin) => ({
      issuers: [as.origin],
      instead: async (request) =>
        request.headers.has('authorization') && (await callsTool(request))
          ? challenge(403, { error: 'insufficient_scope', scope: `s${asked++}`, resource_metadata: origin + METADATA })
          : undefined,
    }));
    const person = new Person();
    let last: unknown;
    await attempt(server, person, async (client) => {
      for (let i = 0; i < 20; i++) last = await client.call('echo').catch((error: unknown) => error);
    });
    expect(person.visits.length).toBeLessThanOrEqual(1 + 10);
    expect(last).toMatchObject(failed('scopes', /10 in all/));
  });

  test('with a person who says no does not ask again, whatever was being done', async () => {
    await using as = await authorizationServer();
    let revoked = false;
    await using server = await mcp((origin) => ({
      issuers: [as.origin],
      instead: ({ method }) =>
        revoked && method === 'POST' ? challenge(401, { resource_metadata: origin + METADATA }) : undefined,
    }));
    const person = new Person((back) => {
      if (revoked) back.searchParams.set('error', 'access_denied');
      return back;
    });
    as.auth.instead.set('/token', () => answered({ access_token: 'without-refresh', token_type: 'Bearer' }));
    const errors: unknown[] = [];
    await attempt(server, person, async (client) => {
      revoked = true;
      errors.push(
        await client
          .list('tools')
          .all()
          .then(String, (error: unknown) => error),
      );
      errors.push(await client.call('echo').catch((error: unknown) => error));
    });
    const no = failed('authorization response', /access_denied/);
    expect(errors).toMatchObject([no, no]);
    expect(person.visits).toHaveLength(1 + 2);
  });
});

describe('a token', () => {
  test.each([301, 302, 303, 307, 308])('does not go along to another origin: %s', async (status) => {
    await using as = await authorizationServer();
    await using thief = await anybody(() => () => answered({}));
    await using server = await mcp(() => ({
      issuers: [as.origin],
      instead: async (request) =>
        request.headers.has('authorization') && (await callsTool(request))
          ? new Response(null, { status, headers: { location: `${thief.origin}/mcp` } })
          : undefined,
    }));
    const { error, seen } = await attempt(server, new Person());
    expect(error).toMatchObject({ code: 'MCP_HTTP_REDIRECT' });
    expect(thief.knocks).toEqual([]);
    expect(leaked(as, seen, thief.knocks)).toEqual([]);
  });

  test('is in no address, and only in its field', async () => {
    verifies('AUTH-086', 'AUTH-087');
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    expect((await attempt(server, new Person())).error).toBeUndefined();
    const shown = server.knocks.filter(({ authorization }) => authorization !== null);
    expect(shown.length).toBeGreaterThan(1);
    for (const { authorization, all } of shown) {
      const token = authorization?.replace(/^Bearer /, '') ?? '';
      expect(as.secrets).toContain(token);
      expect(all.split(token)).toHaveLength(2);
    }
    expect(
      leaked(
        as,
        server.knocks.filter(({ authorization }) => authorization === null),
      ),
    ).toEqual([]);
  });

  test('is not to be seen in what holds it, however that is printed', async () => {
    verifies('SEC-052');
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    const signIn = new Person();
    const client = { id: 'ours', secret: 's3cr3t-of-ours' };
    as.auth.clients.set('ours', { ...client, redirectUris: ['http://127.0.0.1:1/callback'] });
    const auth = oauth({ signIn, client });
    await using connected = await connect(`${server.origin}/mcp`, { auth });
    await connected.call('echo');
    const holders = [auth, auth(new URL(`${server.origin}/mcp`)), connected];
    const printed = holders.map((holder) => inspect(holder, { depth: 9, showHidden: true }) + JSON.stringify(holder));
    expect(as.secrets.size).toBeGreaterThan(2);
    expect(leaked(as, ...printed)).toEqual([]);
    expect(printed.join('')).not.toContain('s3cr3t');
  });

  test('for one server is not shown to another that uses the same oauth()', async () => {
    verifies('AUTH-091');
    await using as = await authorizationServer();
    await using first = await mcp(() => ({ issuers: [as.origin] }));
    await using second = await mcp((origin) => ({
      issuers: [as.origin],
      // Rejects every token.
      instead: ({ method }) =>
        method === 'POST' ? challenge(401, { resource_metadata: origin + METADATA }) : undefined,
    }));
    const auth = oauth({ signIn: new Person() });
    await using client = await connect(`${first.origin}/mcp`, { auth });
    await client.call('echo');
    const before = new Set(as.secrets);
    await expect(connect(`${second.origin}/mcp`, { auth })).rejects.toMatchObject({ code: 'MCP_AUTH_FAILED' });
    expect(before.size).toBeGreaterThan(2);
    expect(leaked({ ...as, secrets: before }, second.knocks)).toEqual([]);
    const audiences = as.auth.requests
      .filter(({ path }) => path === '/token')
      .map(({ params }) => params.get('resource'));
    expect(audiences).toEqual([`${first.origin}/mcp`, `${second.origin}/mcp`]);
  });

  test('of one authorization server, and the client there, is not shown to the next one', async () => {
    verifies('AUTH-031', 'AUTH-032', 'AUTH-057', 'AUTH-058');
    await using honest = await authorizationServer(() => ({ clients: [{ id: 'x' }, { id: 'y' }] }));
    await using evil = await authorizationServer();
    let moved = false;
    await using server = await mcp((origin) => ({
      issuers: [],
      instead: ({ url, method, headers }) => {
        if (url.endsWith(METADATA))
          return answered({ resource: `${origin}/mcp`, authorization_servers: [moved ? evil.origin : honest.origin] });
        const old = moved && [...honest.secrets].some((secret) => headers.get('authorization')?.includes(secret));
        return method === 'POST' && old ? challenge(401, { resource_metadata: origin + METADATA }) : undefined;
      },
    }));
    const person = new Person();
    const { error, seen } = await attempt(server, person, async (client) => {
      await client.call('echo');
      moved = true;
      await client.call('echo');
    });
    expect(error).toBeUndefined();
    expect(person.visits.map((url) => new URL(url).origin)).toEqual([honest.origin, evil.origin]);
    const told = evil.auth.requests.map(
      ({ params, json, headers }) => `${params} ${JSON.stringify(json)} ${JSON.stringify([...headers])}`,
    );
    expect(leaked(honest, seen, told.join('\n'))).toEqual([]);
    expect(told.join('\n')).not.toContain('client-3');
    expect(evil.auth.paths).toContain('/register');
  });

  /** The same for both, so that only the client can keep a secret from the second. */
  const redirectUris = ['http://127.0.0.1:1/callback'];
  const documentUrl = 'https://app.example/client.json';
  test.each<[string, OAuthOptions, boolean]>([
    ['a client with a secret and no issuer', { client: { id: 'cli', secret: 'pre-registered secret' } }, false],
    ['a client without a secret and an issuer', { client: { id: 'cli' } }, false],
    ['a metadata document', { clientMetadataUrl: documentUrl }, true],
  ])('of %s is not shown to the next authorization server', async (_, options, signsInAgain) => {
    verifies('AUTH-032', 'AUTH-057', 'AUTH-058');
    const clients = [
      { id: 'cli', redirectUris, ...(options.client?.secret === undefined ? {} : { secret: options.client.secret }) },
      { id: documentUrl, redirectUris },
    ];
    const knowing = (): Omit<AuthorizationServerOptions, 'issuer'> => ({
      clients,
      says: { client_id_metadata_document_supported: true },
    });
    await using honest = await authorizationServer(knowing);
    await using evil = await authorizationServer(knowing);
    let moved = false;
    await using server = await mcp((origin) => ({
      issuers: [],
      instead: ({ url, method, headers }) => {
        if (url.endsWith(METADATA))
          return answered({ resource: `${origin}/mcp`, authorization_servers: [moved ? evil.origin : honest.origin] });
        const old = moved && [...honest.secrets].some((secret) => headers.get('authorization')?.includes(secret));
        return method === 'POST' && old ? challenge(401, { resource_metadata: origin + METADATA }) : undefined;
      },
    }));
    const act = async (client: Client): Promise<void> => {
      await client.call('echo');
      moved = true;
      await client.call('echo');
    };
    const person = new Person();
    const { error, seen } = await attempt(server, person, act, options);
    expect(person.visits.map((url) => new URL(url).origin)).toEqual(
      signsInAgain ? [honest.origin, evil.origin] : [honest.origin],
    );
    expect(error === undefined).toBe(signsInAgain);
    const told = evil.auth.requests
      .map(({ params, headers }) => `${params} ${JSON.stringify([...headers])}`)
      .join('\n');
    expect(leaked({ ...honest, secrets: new Set([...honest.secrets, 'pre-registered']) }, seen, told)).toEqual([]);
    expect(told).not.toContain('grant_type=refresh_token');
    expect(evil.auth.paths.includes('/token')).toBe(signsInAgain);
  });
});
