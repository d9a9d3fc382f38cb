/** Fetching and validating the metadata of an authorization server. */
import { describe, expect, test } from 'vitest';
import type { AuthorizationServerOptions } from '../../../../test/support/authorization-server.ts';
import { OAuthWorld } from '../../../../test/support/oauth-world.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { findAuthorizationServer, ownAuthorizationServer } from './authorization-server.ts';
import { discover } from './discovery.ts';

const failing = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

describe('where the metadata is', () => {
  const at = 'https://auth.example';
  const oauth = '/.well-known/oauth-authorization-server';
  const openid = '/.well-known/openid-configuration';

  test.each<[AuthorizationServerOptions, string[]]>([
    [{ metadata: 'oauth' }, [oauth]],
    [{ metadata: 'oidc' }, [oauth, openid]],
  ])('an issuer without a path has two metadata URLs: %j', async (how, asked) => {
    verifies('AUTH-036', 'AUTH-038', 'AUTH-034', 'AUTH-008');
    const world = new OAuthWorld({ servers: [how] });
    expect(await findAuthorizationServer(world.context, at)).toMatchObject({
      issuer: at,
      tokenEndpoint: `${at}/token`,
    });
    expect(world.pathsAt(at)).toEqual(asked);
  });

  test.each<[AuthorizationServerOptions['metadata'], string[]]>([
    ['oauth', [`${oauth}/tenant1`]],
    ['oidc', [`${oauth}/tenant1`, `${openid}/tenant1`, `/tenant1${openid}`]],
  ])('an issuer with a path has three metadata URLs, none at the root: %s', async (metadata, asked) => {
    verifies('AUTH-036', 'AUTH-037');
    const issuer = `${at}/tenant1`;
    const world = new OAuthWorld({ servers: [{ issuer, metadata }] });
    expect(await findAuthorizationServer(world.context, issuer)).toMatchObject({ issuer });
    expect(world.pathsAt(at)).toEqual(asked);
  });

  test('a named authorization server without metadata is an error', async () => {
    const world = new OAuthWorld({ servers: [{ metadata: 'none' }] });
    expect(await failing(findAuthorizationServer(world.context, at))).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining('publishes none'),
    });
  });

  test.each([
    'ftp://auth.example',
    'https://auth.example?tenant=1',
    'https://auth.example#a',
    'auth.example',
    'javascript:alert(1)',
  ])('an issuer must be an http or https URL without query and fragment: %s', async (issuer) => {
    const world = new OAuthWorld();
    expect(await failing(findAuthorizationServer(world.context, issuer))).toMatchObject({ code: 'MCP_AUTH_FAILED' });
    expect(world.visits).toEqual([]);
  });
});

describe('what the metadata says', () => {
  test.each([
    'https://attacker.example',
    'https://auth.example/',
    'https://AUTH.example',
    'https://auth.example:443',
    undefined,
    7,
  ])('metadata whose issuer differs from the requested one by any character is rejected: %s', async (issuer) => {
    verifies('AUTH-039', 'AUTH-040');
    const world = new OAuthWorld({ servers: [{ says: { issuer } }] });
    expect(await failing(findAuthorizationServer(world.context, 'https://auth.example'))).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      details: { step: 'authorization server metadata' },
      message: expect.stringContaining('but https://auth.example was asked'),
    });
  });

  test.each([undefined, 7, '', 'token'])(
    'metadata without a valid token_endpoint is rejected: %j',
    async (token_endpoint) => {
      const world = new OAuthWorld({ servers: [{ says: { token_endpoint } }] });
      const error = await failing(findAuthorizationServer(world.context, 'https://auth.example'));
      expect(error).toMatchObject({ message: expect.stringContaining('token_endpoint') });
    },
  );
});

describe('a server of early 2025, without protected resource metadata', () => {
  test('the origin of the endpoint is the authorization server, whatever the path of the endpoint', async () => {
    verifies('AUTH-008', 'AUTH-012', 'AUTH-015');
    const world = new OAuthWorld({
      endpoint: 'https://mcp.example/v1/mcp',
      resource: null,
      servers: [{ issuer: 'https://mcp.example' }],
    });
    const discovery = await discover(world.context, { revision: '2025-03-26' }, []);
    expect(discovery).toMatchObject({ resource: 'https://mcp.example/v1/mcp', server: { lacksMetadata: false } });
    expect(world.pathsAt('https://mcp.example').at(-1)).toBe('/.well-known/oauth-authorization-server');
    expect(world.visits.at(-1)?.headers.get('mcp-protocol-version')).toBe('2025-03-26');
  });

  test('a server without any metadata gets the default endpoints', async () => {
    verifies('AUTH-014', 'AUTH-015');
    const world = new OAuthWorld({ resource: null, servers: [] });
    expect(await ownAuthorizationServer(world.context, undefined)).toMatchObject({
      issuer: 'https://mcp.example',
      authorizationEndpoint: 'https://mcp.example/authorize',
      tokenEndpoint: 'https://mcp.example/token',
      registrationEndpoint: 'https://mcp.example/register',
    });
    expect(world.visits.length).toBeGreaterThan(0);
  });

  test('a server that answers with 5xx gets no default endpoints', async () => {
    const world = new OAuthWorld({ resource: null, servers: [] });
    world.instead = () => new Response('', { status: 500 });
    expect(await failing(ownAuthorizationServer(world.context, undefined))).toMatchObject({ code: 'MCP_AUTH_FAILED' });
  });
});

test('the issuer of the application is preferred, then that of stored tokens, then the first of the server', async () => {
  const servers = ['https://a.example', 'https://b.example', 'https://c.example'].map((issuer) => ({ issuer }));
  const { context } = new OAuthWorld({ servers });
  const chosen = async (...preferred: (string | undefined)[]): Promise<string> =>
    (await discover(context, {}, preferred)).server.issuer;
  expect(await chosen()).toBe('https://a.example');
  expect(await chosen(undefined, 'https://b.example')).toBe('https://b.example');
  expect(await chosen('https://c.example', 'https://b.example')).toBe('https://c.example');
  expect(await chosen('https://unknown.example')).toBe('https://a.example');
});
