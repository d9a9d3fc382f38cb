/** Discovery of the authorization servers that an MCP server trusts (RFC 9728). */
import { describe, expect, test } from 'vitest';
import { OAuthWorld, type WorldOptions } from '../../../../test/support/oauth-world.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { resourceMetadataUrls } from '../../web/well-known.ts';
import { canonicalResource, coversEndpoint, findResource, type ResourceHints } from './resource-metadata.ts';

const failing = (world: OAuthWorld, hints: ResourceHints = {}): Promise<unknown> =>
  findResource(world.context, hints).then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

describe('where the document is', () => {
  const well = 'https://mcp.example/.well-known/oauth-protected-resource';

  test('resource_metadata of the challenge is the only URL that is requested', async () => {
    verifies('AUTH-029');
    const documentAt = 'https://mcp.example/custom/location.json';
    const world = new OAuthWorld({ documentAt });
    expect(await findResource(world.context, { metadataUrl: documentAt })).toMatchObject({
      issuers: ['https://auth.example'],
    });
    expect(world.visits.map(({ url }) => url)).toEqual([documentAt]);
  });

  test.each<[string, WorldOptions, string[]]>([
    ['at the path', {}, [`${well}/mcp`]],
    ['at the root', { documentAt: well, resource: { resource: 'https://mcp.example' } }, [`${well}/mcp`, well]],
    ['nowhere', { resource: null }, [`${well}/mcp`, well]],
    ['at the root alone', { endpoint: 'https://mcp.example/', resource: null }, [well]],
  ])('without a challenge URL, the well-known URLs are requested: %s', async (_, how, asked) => {
    verifies('AUTH-029');
    const world = new OAuthWorld(how);
    const found = await findResource(world.context, {});
    expect(found?.issuers).toEqual(how.resource === null ? undefined : ['https://auth.example']);
    expect(world.visits.map(({ url }) => url)).toEqual(asked);
  });

  test('protected resource metadata that is not JSON counts as missing', async () => {
    const world = new OAuthWorld({ documentAt: well, resource: { resource: 'https://mcp.example' } });
    world.instead = ({ url }) =>
      url === `${well}/mcp` ? new Response('<html>', { headers: { 'content-type': 'text/html' } }) : undefined;
    expect(await findResource(world.context, {})).toMatchObject({ resource: 'https://mcp.example' });
  });

  test.each([500, 503])('a %d does not mean "no protected resource metadata"', async (status) => {
    const world = new OAuthWorld();
    world.instead = () => new Response('', { status });
    expect(await failing(world)).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining(`${status}`),
    });
    expect(world.visits).toHaveLength(1);
  });

  test('a challenge that names a missing document is an error', async () => {
    const world = new OAuthWorld({ resource: null });
    expect(await failing(world, { metadataUrl: `${well}/mcp` })).toMatchObject({ code: 'MCP_AUTH_FAILED' });
  });

  test.each([
    'https://evil.example/doc',
    'http://169.254.169.254/',
    'file:///etc/passwd',
    'http://mcp.example/doc',
    '//evil',
  ])('protected resource metadata at another origin is rejected: %s', async (metadataUrl) => {
    verifies('SEC-017');
    const world = new OAuthWorld();
    expect(await failing(world, { metadataUrl })).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      message: expect.stringContaining('not its own origin'),
    });
    expect(world.visits).toEqual([]);
  });

  test('the request for protected resource metadata names the revision', async () => {
    verifies('AUTH-011');
    const world = new OAuthWorld();
    await findResource(world.context, { revision: '2025-03-26' });
    expect(world.visits[0]?.headers.get('mcp-protocol-version')).toBe('2025-03-26');
  });

  test('the query of an endpoint is part of its resource identifier', () => {
    expect(resourceMetadataUrls(new URL('https://a.example/mcp?tenant=1'))[0]).toBe(
      'https://a.example/.well-known/oauth-protected-resource/mcp?tenant=1',
    );
  });
});

describe('what the document says', () => {
  test.each([
    'https://mcp.example/mcp',
    'https://mcp.example',
    'https://mcp.example/',
    'HTTPS://MCP.EXAMPLE/mcp',
    'https://mcp.example:443/mcp',
    'https://mcp.example/mcp/',
  ])('the resource identifier is used byte for byte: %s', async (resource) => {
    verifies('AUTH-082', 'AUTH-084');
    const { context } = new OAuthWorld({ resource: { resource } });
    expect(await findResource(context, {})).toMatchObject({ resource });
  });

  test.each([
    'https://evil.example/mcp',
    'http://mcp.example/mcp',
    'https://mcp.example:8443/mcp',
    'https://mcp.example/other',
    'https://mcp.example/mc',
    'https://mcp.example/mcp/deeper',
    'https://mcp.example/mcp#fragment',
    'https://mcp.example/mcp?tenant=2',
    'https://user@mcp.example/mcp',
    'https://:password@mcp.example/mcp',
    'mcp.example/mcp',
    'https://mcp.example.evil.example/mcp',
    'https://mcp.example\\mcp',
    'https://mcp.example/m\ncp',
    ' https://mcp.example/mcp',
    'https:mcp.example/mcp',
    'https://mcp.example/other/../mcp',
    'https://mcp.example/other/%2E./mcp',
    7,
    undefined,
  ])('metadata of another resource is rejected: %s', async (resource) => {
    verifies('AUTH-082');
    const world = new OAuthWorld({ resource: { resource } });
    expect(await failing(world)).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      details: { step: 'protected resource metadata', url: 'https://mcp.example/mcp' },
      message: expect.stringContaining(', not this endpoint'),
    });
  });

  test.each([undefined, [], 'https://auth.example', [7]])(
    'it must name an authorization server: %j',
    async (servers) => {
      const world = new OAuthWorld({ resource: { authorization_servers: servers } });
      expect(await failing(world)).toMatchObject({ message: expect.stringContaining('names no authorization server') });
    },
  );
});

test.each([
  ['https://a.example', 'https://a.example'],
  ['https://a.example/', 'https://a.example'],
  ['https://a.example/mcp/', 'https://a.example/mcp/'],
  ['https://A.example/mcp?x=1', 'https://a.example/mcp?x=1'],
  ['https://a.example/?x=1', 'https://a.example/?x=1'],
])(
  'the resource identifier of a server without metadata is its URL, without the slash of a bare origin: %s',
  (url, name) => {
    verifies('AUTH-083', 'AUTH-085');
    expect(canonicalResource(new URL(url))).toBe(name);
    expect(coversEndpoint(name, new URL(url))).toBe(true);
  },
);

test('a resource whose host other URL parsers read differently does not cover an endpoint', () => {
  const endpoint = new URL('https://evil.example/@shop.example/mcp');
  expect(coversEndpoint('https://evil.example/@shop.example/mcp', endpoint)).toBe(true);
  expect(coversEndpoint('https://evil.example\\@shop.example/mcp', endpoint)).toBe(false);
});

test('a resource without a query covers an endpoint with one', () => {
  const endpoint = new URL('https://a.example/mcp?tenant=1');
  expect(coversEndpoint('https://a.example/mcp', endpoint)).toBe(true);
  expect(coversEndpoint('https://a.example/mcp?tenant=2', endpoint)).toBe(false);
});
