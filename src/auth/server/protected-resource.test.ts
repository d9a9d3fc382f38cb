import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { protectedResource } from './protected-resource.ts';

const authorizationServers = ['https://auth.example/tenant'];

test.each([
  ['https://dock.example/mcp', '/.well-known/oauth-protected-resource/mcp'],
  ['https://dock.example/a/b', '/.well-known/oauth-protected-resource/a/b'],
  ['https://dock.example', '/.well-known/oauth-protected-resource'],
  ['https://dock.example/', '/.well-known/oauth-protected-resource'],
  ['http://127.0.0.1:3000/mcp', '/.well-known/oauth-protected-resource/mcp'],
])('the metadata of %s is published at %s', (resource, path) => {
  verifies('AUTH-024', 'AUTH-028');
  const made = protectedResource({ resource, authorizationServers });
  expect(made).toMatchObject({ path, url: new URL(resource).origin + path });
  // Unchanged, because clients compare it.
  expect(made.document['resource']).toBe(resource);
});

test('protectedResource() leaves out what is not set', () => {
  verifies('AUTH-024', 'AUTH-026');
  const resource = 'https://dock.example/mcp';
  expect(protectedResource({ resource, authorizationServers, scopesSupported: [] }).document).toEqual({
    resource,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
  });
  const all = protectedResource({
    resource,
    authorizationServers,
    scopesSupported: ['read'],
    name: 'Dock',
    documentation: 'https://dock.example/help',
    proofs: { algorithms: ['ES256'], required: true },
  });
  expect(all.document).toEqual({
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: ['read'],
    bearer_methods_supported: ['header'],
    resource_name: 'Dock',
    resource_documentation: 'https://dock.example/help',
    dpop_signing_alg_values_supported: ['ES256'],
    dpop_bound_access_tokens_required: true,
  });
});

test('protectedResource() requires an authorization server', () => {
  verifies('AUTH-026');
  expect(() => protectedResource({ resource: 'https://dock.example/mcp', authorizationServers: [] })).toThrow(
    '"authorizationServers" is empty',
  );
});

test('protectedResource() requires a list of authorization servers', () => {
  const authorizationServers = 'https://auth.example' as unknown as string[];
  expect(() => protectedResource({ resource: 'https://dock.example/mcp', authorizationServers })).toThrow(
    '"authorizationServers" must be a list',
  );
});

test.each([
  ['dock', 'is not a URL'],
  ['http://dock.example/mcp', 'must begin with https://'],
  ['http://127.0.0.1.evil.example/mcp', 'must begin with https://'],
  ['ftp://dock.example/mcp', 'must begin with https://'],
  ['https://dock.example/mcp#x', 'has a fragment'],
  ['https://dock.example/mcp#', 'has a fragment'],
  ['https://dock.example/mcp?x=1', 'must be an origin and a path'],
  ['https://ada:secret@dock.example/mcp', 'must be an origin and a path'],
])('protectedResource() rejects the resource %s', (resource, why) => {
  expect(() => protectedResource({ resource, authorizationServers })).toThrow(why);
});

test.each([
  ['auth', '"auth" is not a URL'],
  ['http://auth.example', 'must begin with https://'],
  ['https://auth.example#x', 'has a fragment'],
])('protectedResource() rejects the authorization server %s, wherever it stands in the list', (issuer, why) => {
  const resource = 'https://dock.example/mcp';
  for (const both of [
    [issuer, ...authorizationServers],
    [...authorizationServers, issuer],
  ])
    expect(() => protectedResource({ resource, authorizationServers: both })).toThrow(
      new RegExp(`${why}.*; an authorization server is named by its issuer`),
    );
});

test.each([
  ['offline_access', 'for clients; leave it out'],
  ['files:*', 'asks for too much; name what is needed'],
  ['*', 'asks for too much; name what is needed'],
  ['a b', 'printable ASCII'],
  ['a"', 'printable ASCII'],
  ['a\r\nb', 'printable ASCII'],
  ['', 'printable ASCII'],
])('protectedResource() rejects the scope %j', (scope, why) => {
  verifies('AUTH-100', 'SEC-050');
  const scopesSupported = ['read', scope];
  expect(() => protectedResource({ resource: 'https://dock.example', authorizationServers, scopesSupported })).toThrow(
    why,
  );
});
