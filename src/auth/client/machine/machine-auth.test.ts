/** clientCredentials(), workloadIdentity() and enterpriseManaged(): authorization without a sign-in. */
import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { AuthorizationServer, JWT_BEARER, TOKEN_EXCHANGE } from '../../../../test/support/authorization-server.ts';
import { HeldClock } from '../../../../test/support/held-clock.ts';
import { claimsIn, OAuthWorld, type WorldOptions } from '../../../../test/support/oauth-world.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import type { HttpAuth } from '../../../model/auth.ts';
import { enterpriseManaged } from './enterprise-managed.ts';
import { clientCredentials, workloadIdentity } from './machine-auth.ts';

const failing = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );
const insufficient = (scope: string): string => `Bearer error="insufficient_scope", scope="${scope}"`;

describe('a client that acts for itself', () => {
  const client = { id: 'job', secret: 's3cret' };
  const knowing: WorldOptions = { servers: [{ clients: [client], tokenSeconds: 300 }] };

  test('clientCredentials() gets a token with a secret', async () => {
    verifies('AUTH-120', 'EXTAUTH-1', 'EXTAUTH-2', 'EXTAUTH-3');
    const world = new OAuthWorld(knowing);
    const fields = await world.enter(clientCredentials({ client, fetch: world.fetch })(world.endpoint));
    expect(claimsIn(fields)).toMatchObject({ sub: 'job', aud: 'https://mcp.example/mcp', scope: 'basic' });
    expect(Object.fromEntries(world.tokenForms[0] ?? [])).toEqual({
      grant_type: 'client_credentials',
      resource: 'https://mcp.example/mcp',
      scope: 'basic',
    });
    expect(world.server.paths).not.toContain('/register');
    expect(world.server.paths).not.toContain('/authorize');
  });

  test('clientCredentials() gets a token with a private key', async () => {
    verifies('AUTH-120', 'EXTAUTH-2');
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256' };
    const world = new OAuthWorld({ servers: [{ clients: [{ id: 'job', jwk }] }] });
    const auth = clientCredentials({ client: { id: 'job', privateKey, alg: 'ES256' }, fetch: world.fetch });
    expect(claimsIn(await world.enter(auth(world.endpoint)))).toMatchObject({ sub: 'job' });
    expect(world.tokenForms[0]?.get('client_assertion_type')).toContain('jwt-bearer');
    expect(world.tokenForms[0]?.has('client_id')).toBe(false);
  });

  test('clientCredentials() declares its extension', () => {
    verifies('EXTAUTH-6');
    expect(clientCredentials({ client }).extensions).toEqual(['io.modelcontextprotocol/oauth-client-credentials']);
  });

  test('clientCredentials() renews the token before it expires', async () => {
    verifies('EXTAUTH-6');
    const clock = new HeldClock();
    const world = new OAuthWorld(knowing);
    const auth = clientCredentials({ client, fetch: world.fetch, clock })(world.endpoint);
    const first = await world.enter(auth);
    await clock.pass(271_000);
    const [second] = await Promise.all([auth.headers(world.request), auth.headers(world.request)]);
    expect(second).not.toEqual(first);
    expect(world.tokenForms).toHaveLength(2);
    expect(world.tokenForms[1]?.get('scope')).toBe('basic');
  });

  test('clientCredentials() requests missing scopes, within limits', async () => {
    verifies('AUTH-070');
    const world = new OAuthWorld(knowing);
    const auth = clientCredentials({ client, fetch: world.fetch, scopes: ['own'] })(world.endpoint);
    const sent = await world.enter(auth, 'Bearer scope="read"');
    expect(await auth.onChallenge(world.refusal(insufficient('write'), { status: 403, sent }))).toBe(true);
    expect(claimsIn(await auth.headers(world.request))['scope']).toBe('write read own');
  });

  test('clientCredentials() requires a secret or a private key', () => {
    expect(() => clientCredentials({ client: { id: 'job' } })).toThrow('"secret" or a "privateKey"');
  });

  test('a client with an issuer is used with that authorization server only', async () => {
    verifies('AUTH-059');
    const world = new OAuthWorld(knowing);
    const known = { ...client, issuer: 'https://own.example' };
    expect(
      await failing(world.enter(clientCredentials({ client: known, fetch: world.fetch })(world.endpoint))),
    ).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining('registered with https://own.example'),
    });
    expect(world.tokenForms).toEqual([]);
  });

  test('a client without an issuer is used with the first authorization server only', async () => {
    verifies('AUTH-057');
    const other = { issuer: 'https://new.example', clients: [client] };
    const resource = { authorization_servers: ['https://auth.example'] };
    const world = new OAuthWorld({ servers: [{ clients: [client] }, other], resource });
    const auth = clientCredentials({ client, fetch: world.fetch })(world.endpoint);
    const sent = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    world.document = { ...world.document, authorization_servers: ['https://new.example'] };
    expect(await failing(Promise.resolve(auth.onChallenge(world.refusal('Bearer', { sent }))))).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining('used with https://auth.example'),
    });
    expect(world.servers[1]?.paths).not.toContain('/token');
  });
});

describe('a workload that its platform vouches for', () => {
  const trusting: WorldOptions = {
    resource: { scopes_supported: undefined },
    servers: [{ accepts: async (assertion) => (assertion.startsWith('good') ? { sub: 'pod-1' } : undefined) }],
  };
  const among = (world: OAuthWorld, assertion: () => Promise<string>): HttpAuth =>
    workloadIdentity({ assertion, fetch: world.fetch })(world.endpoint);

  test('workloadIdentity() sends its assertion to the first authorization server only', async () => {
    verifies('AUTH-057');
    const accepts = async (): Promise<{ sub: string }> => ({ sub: 'pod-1' });
    const servers = [{ accepts }, { issuer: 'https://new.example', accepts }];
    const world = new OAuthWorld({ servers, resource: { authorization_servers: ['https://auth.example'] } });
    const auth = among(world, async () => 'good-assertion');
    const sent = await world.enter(auth);
    auth.onResponse?.(world.request, () => undefined);
    world.document = { ...world.document, authorization_servers: ['https://new.example'] };
    expect(await failing(Promise.resolve(auth.onChallenge(world.refusal('Bearer', { sent }))))).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining('used with https://auth.example'),
    });
    expect(world.servers[1]?.paths).not.toContain('/token');
  });

  test('workloadIdentity() exchanges the assertion for a token, without a client id', async () => {
    verifies('EXTAUTH-60');
    const world = new OAuthWorld(trusting);
    const fields = await world.enter(among(world, async () => 'good-assertion'));
    expect(claimsIn(fields)).toMatchObject({ sub: 'pod-1', aud: 'https://mcp.example/mcp' });
    expect(Object.fromEntries(world.tokenForms[0] ?? [])).toEqual({
      grant_type: JWT_BEARER,
      assertion: 'good-assertion',
      resource: 'https://mcp.example/mcp',
    });
    expect(world.server.paths).not.toContain('/register');
  });

  test('workloadIdentity() does not send a rejected assertion again', async () => {
    verifies('EXTAUTH-63', 'EXTAUTH-31');
    const world = new OAuthWorld(trusting);
    let assertion = 'bad-assertion';
    const auth = among(world, async () => assertion);
    const first = await failing(world.enter(auth));
    expect(first).toMatchObject({ code: 'MCP_AUTH_FAILED', message: expect.stringContaining('invalid_grant') });
    expect(await failing(world.enter(auth))).toMatchObject({ message: expect.stringContaining('rejected before') });
    expect(world.tokenForms).toHaveLength(1);
    expect(String(first)).not.toContain('bad-assertion');
    assertion = 'good-assertion';
    expect(await world.enter(auth)).toBeDefined();
  });

  test('an assertion that was not rejected can be sent again', async () => {
    const world = new OAuthWorld(trusting);
    const auth = among(world, async () => 'good-assertion');
    world.server.instead.set('/token', () => new Response('', { status: 503 }));
    expect(await failing(world.enter(auth))).toMatchObject({ code: 'MCP_AUTH_FAILED' });
    world.server.instead.clear();
    expect(await world.enter(auth)).toBeDefined();
  });
});

describe('an employee whose company decides', () => {
  const idpIssuer = 'https://idp.example';
  const client = { id: 'cli', secret: 's3cret' };

  function company(idp = new AuthorizationServer({ issuer: idpIssuer, clients: [{ id: 'at-idp', secret: 'hush' }] })) {
    const accepts = async (assertion: string) => {
      const claims = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString());
      return claims['aud'] === 'https://auth.example' ? { sub: claims['sub'] } : undefined;
    };
    const world = new OAuthWorld({ servers: [{ accepts, clients: [client], iss: null }] });
    const fetch = (url: URL, init: RequestInit): Promise<Response> =>
      url.origin === new URL(idp.issuer).origin ? idp.fetch(url, init) : world.fetch(url, init);
    return { world, idp, fetch };
  }
  const idToken = async (): Promise<string> => 'id-token-of-ada';

  test('enterpriseManaged() exchanges the ID token for an ID-JAG, and that for an access token', async () => {
    verifies('AUTH-122', 'AUTH-123', 'EXTAUTH-8', 'EXTAUTH-9', 'EXTAUTH-10', 'EXTAUTH-11', 'EXTAUTH-13');
    const { world, idp, fetch } = company();
    const auth = enterpriseManaged({
      idp: { issuer: idpIssuer, client: { id: 'at-idp', secret: 'hush' } },
      idToken,
      client,
      fetch,
    });
    const fields = await world.enter(auth(world.endpoint));
    expect(claimsIn(fields)).toMatchObject({ sub: 'ada', aud: 'https://mcp.example/mcp' });
    const exchange = idp.requests.find(({ path }) => path === '/token');
    expect(exchange?.headers.get('authorization')).toMatch(/^Basic /);
    expect(Object.fromEntries(exchange?.params ?? [])).toEqual({
      grant_type: TOKEN_EXCHANGE,
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      audience: 'https://auth.example',
      resource: 'https://mcp.example/mcp',
      scope: 'basic',
      subject_token: 'id-token-of-ada',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    });
    expect(world.tokenForms[0]?.get('grant_type')).toBe(JWT_BEARER);
    expect(world.server.requests.at(-1)?.headers.get('authorization')).toMatch(/^Basic /);
    expect(world.server.paths).not.toContain('/authorize');
    expect(world.server.paths).not.toContain('/register');
  });

  test('enterpriseManaged() puts neither the ID token nor the ID-JAG nor the access token into a URL', async () => {
    verifies('EXTAUTH-30');
    const { world, idp, fetch: send } = company();
    const asked: string[] = [];
    const fetch = (url: URL, init: RequestInit): Promise<Response> => {
      asked.push(url.href);
      return send(url, init);
    };
    const known = { issuer: idpIssuer, client: { id: 'at-idp', secret: 'hush' } };
    const fields = await world.enter(enterpriseManaged({ idp: known, idToken, client, fetch })(world.endpoint));
    const assertion = world.tokenForms[0]?.get('assertion') ?? '';
    const token = fields?.['authorization']?.slice(7) ?? '';
    expect([assertion.split('.').length, token.split('.').length]).toEqual([3, 3]);
    expect(idp.paths).toContain('/token');
    const secrets = [await idToken(), 'hush', 's3cret', assertion, token];
    expect(secrets.filter((secret) => asked.join().includes(secret))).toEqual([]);
  });

  test('enterpriseManaged() accepts an identity provider in a private network, and declares its extension', async () => {
    verifies('EXTAUTH-15');
    const inside = new AuthorizationServer({
      issuer: 'https://10.1.2.3',
      metadata: 'none',
      clients: [{ id: 'at-idp' }],
    });
    const { world, fetch } = company(inside);
    const idp = { tokenEndpoint: 'https://10.1.2.3/token', client: { id: 'at-idp' } };
    const auth = enterpriseManaged({ idp, idToken, client, fetch });
    expect(auth.extensions).toEqual(['io.modelcontextprotocol/enterprise-managed-authorization']);
    expect(await world.enter(auth(world.endpoint))).toBeDefined();
  });

  test.each([
    [{ error: 'access_denied', error_description: 'not for id-token-of-ada' }, 400, 'access_denied (not for …)'],
    [
      { access_token: 'a', issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' },
      200,
      'did not return an ID-JAG',
    ],
    [{ issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag' }, 200, 'did not return an ID-JAG'],
    ['no object', 200, 'did not return an ID-JAG'],
  ])('enterpriseManaged() fails if the identity provider returns %j', async (body, status, why) => {
    verifies('EXTAUTH-31');
    const { world, idp, fetch } = company();
    idp.instead.set('/token', () => Response.json(body, { status }));
    const auth = enterpriseManaged({ idp: { issuer: idpIssuer, client: { id: 'at-idp' } }, idToken, client, fetch });
    expect(await failing(world.enter(auth(world.endpoint)))).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining(why),
    });
    expect(world.tokenForms).toEqual([]);
  });

  test('enterpriseManaged() requests no ID-JAG for an authorization server that does not accept any', async () => {
    verifies('EXTAUTH-12');
    const { world, idp, fetch } = company();
    const profiles = ['urn:ietf:params:oauth:grant-profile:id-jag'];
    const options = { idp: { issuer: idpIssuer, client: { id: 'at-idp', secret: 'hush' } }, idToken, client, fetch };
    const says = (authorization_grant_profiles_supported: readonly string[]): void =>
      void world.server.instead.set('/.well-known/oauth-authorization-server', () =>
        Response.json({ ...world.server.document(), authorization_grant_profiles_supported }),
      );
    says([]);
    expect(await failing(world.enter(enterpriseManaged(options)(world.endpoint)))).toMatchObject({
      message: expect.stringContaining('does not accept any'),
    });
    expect(idp.requests).toEqual([]);
    says(profiles);
    expect(await world.enter(enterpriseManaged(options)(world.endpoint))).toBeDefined();
  });

  test('enterpriseManaged() requests no ID-JAG for another authorization server than that of the client', async () => {
    const { world, idp, fetch } = company();
    const known = { ...client, issuer: 'https://own.example' };
    const options = {
      idp: { issuer: idpIssuer, client: { id: 'at-idp', secret: 'hush' } },
      idToken,
      client: known,
      fetch,
    };
    expect(await failing(world.enter(enterpriseManaged(options)(world.endpoint)))).toMatchObject({
      message: expect.stringContaining('registered with https://own.example'),
    });
    expect(idp.requests).toEqual([]);
  });

  test('enterpriseManaged() requires the URL of the identity provider', () => {
    expect(() => enterpriseManaged({ idp: { client: { id: 'a' } }, idToken, client })).toThrow(
      '"tokenEndpoint" or its "issuer"',
    );
  });
});

describe('credentials of machines', () => {
  const client = { id: 'job', secret: 's3cret-of-the-job' };
  const idp = { tokenEndpoint: 'http://idp.example/token', client };
  const accepts = async () => ({ sub: 'x' });

  test.each([
    ['a client', (world: OAuthWorld) => clientCredentials({ client, fetch: world.fetch })],
    [
      'a workload',
      (world: OAuthWorld) => workloadIdentity({ assertion: async () => 'the-assertion', fetch: world.fetch }),
    ],
    [
      'an employee',
      (world: OAuthWorld) => enterpriseManaged({ idp, idToken: async () => 'id-token', client, fetch: world.fetch }),
    ],
  ])('credentials are not sent over http: %s', async (_, make) => {
    verifies('EXTAUTH-5', 'EXTAUTH-29', 'EXTAUTH-72');
    const says = { token_endpoint: 'http://auth.example/token' };
    const world = new OAuthWorld({ servers: [{ clients: [client], accepts, says }] });
    expect(await failing(world.enter(make(world)(world.endpoint)))).toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
    expect(world.visits.filter(({ url }) => url.startsWith('http:'))).toEqual([]);
    expect(() => make(world)(new URL('http://mcp.example/mcp'))).toThrow('https: only');
  });

  test('credentials and tokens are in no URL', async () => {
    verifies('EXTAUTH-5', 'EXTAUTH-30', 'AUTH-087');
    const asked: string[] = [];
    const world = new OAuthWorld({ servers: [{ clients: [client], accepts }] });
    const fetch = (url: URL, init: RequestInit): Promise<Response> => {
      asked.push(url.href);
      return world.fetch(url, init);
    };
    const job = await world.enter(clientCredentials({ client, fetch })(world.endpoint));
    const pod = await world.enter(workloadIdentity({ assertion: async () => 'the-assertion', fetch })(world.endpoint));
    const secrets = [
      client.secret,
      'the-assertion',
      ...[job, pod].map((fields) => fields?.['authorization']?.slice(7) ?? ''),
    ];
    expect(secrets.filter((secret) => asked.join().includes(secret))).toEqual([]);
    expect(asked.filter((url) => url.endsWith('/token'))).toHaveLength(2);
  });
});

describe('tokens that are bound to a key', () => {
  const client = { id: 'job', secret: 's3cret' };

  test('a DPoP-bound token is sent with a fresh proof each time, with the nonces of both servers', async () => {
    verifies('EXTAUTH-45', 'EXTAUTH-46');
    const world = new OAuthWorld({ servers: [{ clients: [client], nonces: true }] });
    const auth = clientCredentials({ client, fetch: world.fetch, dpop: true })(world.endpoint);
    const sent = await world.enter(auth);
    expect(sent?.['authorization']).toMatch(/^DPoP /);
    expect(world.tokenForms).toHaveLength(2);
    const again = await auth.headers(world.request);
    expect(again?.['authorization']).toBe(sent?.['authorization']);
    expect(again?.['dpop']).not.toBe(sent?.['dpop']);
    const challenge = world.refusal('DPoP error="use_dpop_nonce"');
    const header = (name: string): string | undefined =>
      name === 'dpop-nonce' ? 'nonce-of-rs' : challenge.header(name);
    expect(await auth.onChallenge({ ...challenge, sent, header })).toBe(true);
    expect(proof(await auth.headers(world.request))).toMatchObject({ nonce: 'nonce-of-rs', htm: 'POST' });
    auth.onResponse?.(world.request, (name) => (name === 'dpop-nonce' ? 'the-next' : undefined));
    expect(proof(await auth.headers(world.request))).toMatchObject({ nonce: 'the-next' });
    expect(world.tokenForms).toHaveLength(2);
  });

  test.each([undefined, ['RS256'], []])(
    'DPoP-bound tokens are not requested from a server that cannot bind them: %j',
    async (algorithms) => {
      const says = { dpop_signing_alg_values_supported: algorithms };
      const world = new OAuthWorld({ servers: [{ clients: [client], says }] });
      const auth = clientCredentials({ client, fetch: world.fetch, dpop: true })(world.endpoint);
      expect(await failing(world.enter(auth))).toMatchObject({ details: { step: 'proof of possession' } });
      expect(world.tokenForms).toEqual([]);
    },
  );

  test('a DPoP-bound token is not replaced by a bearer token', async () => {
    const world = new OAuthWorld({ servers: [{ clients: [client] }] });
    world.server.instead.set('/token', () => Response.json({ access_token: 'a', token_type: 'Bearer' }));
    const auth = clientCredentials({ client, fetch: world.fetch, dpop: true })(world.endpoint);
    expect(await failing(world.enter(auth))).toMatchObject({
      message: expect.stringContaining('token_type Bearer, expected DPoP'),
    });
  });

  const proof = (fields: Awaited<ReturnType<HttpAuth['headers']>>): unknown =>
    JSON.parse(Buffer.from(fields?.['dpop']?.split('.')[1] ?? '', 'base64url').toString());
});

test('client credentials need a client that can authenticate', () => {
  const make = clientCredentials as (options?: unknown) => unknown; // as a program without types calls it
  for (const options of [undefined, {}, { client: { id: 'a' } }])
    expect(() => make(options)).toThrow('The client of clientCredentials: it needs a "secret" or a "privateKey"');
});
