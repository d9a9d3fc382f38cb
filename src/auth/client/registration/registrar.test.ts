/** How a client gets a client id from an authorization server, and reuses it. */
import { describe, expect, test } from 'vitest';
import { answered } from '../../../../test/support/authorization-server.ts';
import { OAuthWorld, type WorldOptions } from '../../../../test/support/oauth-world.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import { TokenStore } from '../credentials/token-store.ts';
import { findAuthorizationServer } from '../discovery/authorization-server.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import { type OAuthOptions, oauth } from '../sign-in/oauth.ts';
import { type ClientSources, Registrar } from './registrar.ts';

const redirectUri = 'http://127.0.0.1:4000/callback';

function registrarIn(world: OAuthWorld, sources: Partial<ClientSources> = {}, store = memoryCredentials()): Registrar {
  const tokenStore = new TokenStore(store);
  return new Registrar(world.context, { name: 'Quay', bound: false, ...sources }, tokenStore);
}

async function named(how: WorldOptions, sources: Partial<ClientSources> = {}, back = redirectUri): Promise<Named> {
  const world = new OAuthWorld(how);
  const server = await findAuthorizationServer(world.context, world.server.issuer);
  const client = await registrarIn(world, sources).clientFor(server, back);
  return { world, client, registered: world.server.requests.find(({ path }) => path === '/register')?.json };
}
interface Named {
  readonly world: OAuthWorld;
  readonly client: ClientIdentity;
  readonly registered: Readonly<Record<string, unknown>> | undefined;
}

const failing = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

describe('in the order of preference', () => {
  const documents = { servers: [{ says: { client_id_metadata_document_supported: true } }] };
  const metadataUrl = 'https://app.example/client.json';

  test('a preregistered client is preferred to all others', async () => {
    verifies('AUTH-042', 'AUTH-051', 'AUTH-019');
    const { client, registered } = await named(documents, { client: { id: 'cli', secret: 's' }, metadataUrl });
    expect(client).toMatchObject({ id: 'cli', secret: 's' });
    expect(registered).toBeUndefined();
  });

  test('second, the URL of a metadata document is used as the client id, if the server accepts it', async () => {
    verifies('AUTH-042', 'AUTH-043', 'AUTH-044', 'AUTH-050');
    const { client, registered } = await named(documents, { metadataUrl });
    expect(client.id).toBe(metadataUrl);
    expect(registered).toBeUndefined();
    expect((await named({}, { metadataUrl })).client.id).toBe('client-1');
  });

  test('third, the client registers dynamically', async () => {
    verifies('AUTH-017', 'AUTH-018', 'AUTH-042');
    const { client, registered } = await named({});
    expect(client.id).toBe('client-1');
    expect(registered).toMatchObject({ client_name: 'Quay', redirect_uris: [redirectUri], response_types: ['code'] });
  });

  test('last, the user is asked for a client, which is stored', async () => {
    verifies('AUTH-019', 'AUTH-042', 'AUTH-056');
    const world = new OAuthWorld({ servers: [{ registration: false }] });
    const server = await findAuthorizationServer(world.context, world.server.issuer);
    const asked: string[] = [];
    const ask = async (issuer: string): Promise<ClientIdentity> => {
      asked.push(issuer);
      return { id: 'typed', secret: 'in' };
    };
    const registrar = registrarIn(world, { ask });
    expect(await registrar.clientFor(server, redirectUri)).toMatchObject({ id: 'typed', secret: 'in' });
    expect(await registrar.clientFor(server, 'http://127.0.0.1:5000/callback')).toMatchObject({ id: 'typed' });
    expect(asked).toEqual(['https://auth.example']);
  });

  test('the error without any client says what to do', async () => {
    const error = await failing(named({ servers: [{ registration: false }] }));
    expect(error).toMatchObject({ code: 'MCP_AUTH_FAILED', details: { step: 'client registration' } });
    expect(String(error)).toMatch(/it has no registration endpoint\. Register one and pass it as "client"/);
  });

  test.each([
    'http://app.example/c.json',
    'https://app.example',
    'https://app.example/',
    'https://a@app.example/c',
    'https://app.example/c.json#part',
    'c.json',
  ])('clientMetadataUrl must be an https URL with a path: %s', (clientMetadataUrl) => {
    verifies('AUTH-044');
    expect(() => oauth({ clientMetadataUrl })).toThrow(expect.objectContaining({ code: 'MCP_BAD_DEFINITION' }));
  });
});

describe('what is registered', () => {
  test.each([
    [redirectUri, 'native'],
    ['http://localhost:9999/callback', 'native'],
    ['http://[::1]:80/callback', 'native'],
    ['https://app.example/callback', 'web'],
  ])('with the redirect URI %s, the application_type is %s', async (back, type) => {
    verifies('AUTH-052', 'AUTH-053');
    expect((await named({}, {}, back)).registered?.['application_type']).toBe(type);
  });

  test('a client registers for refresh tokens', async () => {
    verifies('AUTH-097');
    expect((await named({})).registered?.['grant_types']).toEqual(['authorization_code', 'refresh_token']);
  });

  test.each([
    [['none', 'client_secret_basic'], 'none'],
    [['client_secret_post', 'client_secret_basic'], 'client_secret_basic'],
    [['client_secret_post'], 'client_secret_post'],
    [undefined, 'none'],
  ])('if the server supports the authentication methods %j, the client registers with %s', async (methods, method) => {
    const how = { servers: [{ says: { token_endpoint_auth_methods_supported: methods } }] };
    expect((await named(how)).registered?.['token_endpoint_auth_method']).toBe(method);
  });

  test('a client with DPoP registers with dpop_bound_access_tokens', async () => {
    expect((await named({}, { bound: true })).registered?.['dpop_bound_access_tokens']).toBe(true);
  });
});

describe('a registration that is refused', () => {
  const refused = (times: number): OAuthWorld => {
    const world = new OAuthWorld();
    let left = times;
    world.instead = ({ url }) =>
      url.endsWith('/register') && left-- > 0
        ? answered({ error: 'invalid_redirect_uri', error_description: 'not for \u001b[31mnative\u0007 apps' }, 400)
        : undefined;
    return world;
  };
  const client = async (world: OAuthWorld): Promise<ClientIdentity> =>
    registrarIn(world).clientFor(await findAuthorizationServer(world.context, world.server.issuer), redirectUri);

  test('a rejected registration is retried once with the other application_type', async () => {
    verifies('AUTH-054', 'AUTH-055');
    const world = refused(1);
    expect((await client(world)).id).toBe('client-1');
    expect(world.server.requests.at(-1)?.json?.['application_type']).toBe('web');
  });

  test('the user is asked for a client if both registrations are rejected', async () => {
    verifies('AUTH-042');
    const world = refused(9);
    const server = await findAuthorizationServer(world.context, world.server.issuer);
    const ask = async (): Promise<ClientIdentity> => ({ id: 'typed' });
    expect((await registrarIn(world, { ask }).clientFor(server, redirectUri)).id).toBe('typed');
  });

  test('a rejected registration reports the reason of the server, and what to do', async () => {
    verifies('AUTH-054', 'AUTH-055');
    const world = refused(9);
    const error = await failing(client(world));
    expect(String(error)).toContain('(status 400, invalid_redirect_uri, not for \\u001b[31mnative\\u0007 apps');
    expect(String(error)).toContain('http://127.0.0.1:4000/callback');
    expect(world.visits.filter(({ url }) => url.endsWith('/register'))).toHaveLength(2);
  });

  test.each([
    () => new Response('', { status: 500 }),
    () => answered({}, 201),
    () => answered([], 201),
    () => new Response('<html>', { status: 200 }),
  ])('a registration that fails with a server error is not retried (%#)', async (answer) => {
    const world = new OAuthWorld();
    world.instead = ({ url }) => (url.endsWith('/register') ? answer() : undefined);
    expect(await failing(client(world))).toMatchObject({ code: 'MCP_AUTH_FAILED' });
    expect(world.visits.filter(({ url }) => url.endsWith('/register'))).toHaveLength(1);
  });
});

describe('a registration that is kept', () => {
  const met = (options: OAuthOptions) => {
    const world = new OAuthWorld();
    return { world, auth: oauth({ signIn: world.signIn, fetch: world.fetch, ...options })(world.endpoint) };
  };
  const registrations = ({ server }: OAuthWorld): number => server.paths.filter((path) => path === '/register').length;

  test('a stored registration is reused while the redirect URI is the same', async () => {
    verifies('AUTH-111');
    const store = memoryCredentials();
    const world = new OAuthWorld();
    const server = await findAuthorizationServer(world.context, world.server.issuer);
    const again = (): Registrar => registrarIn(world, {}, store);
    const first = await again().clientFor(server, redirectUri);
    expect((await again().clientFor(server, redirectUri)).id).toBe(first.id);
    expect(await again().redirectUris(server)).toEqual([redirectUri]);
    const another = 'http://127.0.0.1:5000/callback';
    expect((await again().clientFor(server, another)).id).not.toBe(first.id);
    expect((await again().clientFor(server, redirectUri)).id).toBe(first.id);
    expect(await again().redirectUris(server)).toEqual([another, redirectUri]);
    expect((await again().formerClient(server, first.id))?.id).toBe(first.id);
    expect(registrations(world)).toBe(2);
  });

  test('a registration is used with one authorization server only', async () => {
    verifies('AUTH-056', 'AUTH-031');
    const world = new OAuthWorld({ servers: [{}, { issuer: 'https://b.example' }] });
    const registrar = registrarIn(world);
    const ids = new Set<string>();
    for (const { issuer } of world.servers) {
      const client = await registrar.clientFor(await findAuthorizationServer(world.context, issuer), redirectUri);
      ids.add(`${issuer} ${client.id}`);
    }
    expect(world.servers.map(({ paths }) => paths.includes('/register'))).toEqual([true, true]);
    expect(ids.size).toBe(2);
  });

  test('a stored registration is reused until its secret expires', async () => {
    const world = new OAuthWorld();
    const server = await findAuthorizationServer(world.context, world.server.issuer);
    const body = {
      client_id: 'long',
      client_secret: 's',
      client_secret_expires_at: Math.ceil(Date.now() / 1000) + 600,
    };
    world.instead = ({ url }) => (url.endsWith('/register') ? answered(body, 201) : undefined);
    const registrar = registrarIn(world);
    await registrar.clientFor(server, redirectUri);
    expect((await registrar.clientFor(server, redirectUri)).id).toBe('long');
    expect(world.visits.filter(({ url }) => url.endsWith('/register'))).toHaveLength(1);
    expect(world.traced.at(-1)).toMatchObject({ outcome: 'chosen', why: 'registered before as long' });
  });

  test('a client whose secret expired registers again', async () => {
    const world = new OAuthWorld();
    const server = await findAuthorizationServer(world.context, world.server.issuer);
    const body = { client_id: 'short', client_secret: 's', client_secret_expires_at: 1 };
    world.instead = ({ url }) => (url.endsWith('/register') ? answered(body, 201) : undefined);
    const registrar = registrarIn(world);
    await registrar.clientFor(server, redirectUri);
    await registrar.clientFor(server, redirectUri);
    expect(world.visits.filter(({ url }) => url.endsWith('/register'))).toHaveLength(2);
  });

  test('a registration that the server has deleted is repeated, and the user signs in once more', async () => {
    const { world, auth } = met({});
    await world.enter(auth);
    world.server.clients.clear();
    world.server.clients.set('client-1', { id: 'client-1', secret: 'another', redirectUris: [redirectUri] });
    const sent = await auth.headers(world.request);
    auth.onResponse?.(world.request, () => undefined);
    expect(await auth.onChallenge(world.refusal('Bearer', { sent }))).toBe(true);
    expect(registrations(world)).toBe(2);
    expect(await auth.headers(world.request)).not.toEqual(sent);
  });

  test('a preregistered client does not register again', async () => {
    const { world, auth } = met({ client: { id: 'cli', secret: 'wrong' } });
    world.server.clients.set('cli', { id: 'cli', secret: 'right', redirectUris: [redirectUri] });
    const error = await failing(Promise.resolve(auth.onChallenge(world.refusal('Bearer'))));
    expect(error).toMatchObject({ code: 'MCP_AUTH_FAILED', message: expect.stringContaining('invalid_client') });
    expect(String(error)).not.toContain('wrong');
    expect(registrations(world)).toBe(0);
  });
});
