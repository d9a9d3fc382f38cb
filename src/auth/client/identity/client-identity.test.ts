import { expect, test } from 'vitest';
import { OAuthWorld } from '../../../../test/support/oauth-world.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { authenticateClient, type ClientIdentity } from './client-identity.ts';

/** How a client proves its identity to a server that supports these methods: the header, or the names of the parameters. */
async function proofOf(client: ClientIdentity, authMethods: readonly string[] | undefined): Promise<string> {
  const server: AuthorizationServer = {
    ...{ issuer: 'https://as.example', tokenEndpoint: 'https://as.example/token', authMethods },
    ...{ sendsIssuer: false, acceptsMetadataUrl: false, lacksMetadata: false },
  };
  const { headers, params } = await authenticateClient(new OAuthWorld().context, client, server);
  return Object.hasOwn(headers, 'authorization') ? 'header' : Object.keys(params).join(', ');
}

const both = ['client_secret_post', 'client_secret_basic'];

test.each<[string | undefined, readonly string[] | undefined, string]>([
  [undefined, undefined, 'header'],
  [undefined, both, 'header'],
  [undefined, ['client_secret_post'], 'client_id, client_secret'],
  [undefined, ['none'], 'client_id'],
  ['client_secret_post', both, 'client_id, client_secret'],
  ['client_secret_basic', both, 'header'],
  ['client_secret_post', undefined, 'client_id, client_secret'],
  ['none', both, 'client_id'],
  ['private_key_jwt', both, 'header'],
  ['something_new', both, 'header'],
])(
  'a client with a secret that is registered for %s proves it to a server with %j by: %s',
  async (method, has, how) => {
    expect(await proofOf({ id: 'cli', secret: 's', method }, has)).toBe(how);
  },
);

test('a client without a secret sends its id, whatever it is registered for', async () => {
  expect(await proofOf({ id: 'cli' }, both)).toBe('client_id');
  expect(await proofOf({ id: 'cli', method: 'client_secret_basic' }, undefined)).toBe('client_id');
});

test('a secret is not sent to a server that accepts none', async () => {
  await expect(proofOf({ id: 'cli', secret: 's' }, ['private_key_jwt', 'tls_client_auth'])).rejects.toThrow(
    'does not accept a client secret, only private_key_jwt, tls_client_auth',
  );
});
