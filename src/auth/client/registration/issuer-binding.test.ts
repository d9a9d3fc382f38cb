/** A preregistered client is bound to one authorization server. */
import { expect, test, vi } from 'vitest';
import { OAuthWorld } from '../../../../test/support/oauth-world.ts';
import { type CredentialStore, memoryCredentials } from '../credentials/credential-store.ts';
import { TokenStore } from '../credentials/token-store.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import { checkIssuerBinding } from './issuer-binding.ts';

const [A, B] = ['https://a.example', 'https://b.example'];
const { context } = new OAuthWorld();
const { context: elsewhere } = new OAuthWorld({ endpoint: 'https://other.example/mcp' });
const key = { key: 'pem', alg: 'ES256' } as const;

const made = (store = memoryCredentials()) => {
  const tokenStore = new TokenStore(store);
  const check = (client: ClientIdentity, issuer: string, from = context): Promise<void> =>
    checkIssuerBinding(from, tokenStore, { client, issuer, step: 'token' });
  return { store, check };
};

test.each<[string, ClientIdentity]>([
  ['a secret', { id: 'c', secret: 's' }],
  ['a key', { id: 'c', key }],
  ['both', { id: 'c', secret: 's', key }],
])('a client with %s is used with the first authorization server only, from every endpoint', async (_, client) => {
  const { check, store } = made();
  await check(client, A);
  await expect(check(client, B, elsewhere)).rejects.toThrow('was used with');
  await check(client, A, elsewhere);
  await expect(check(client, B)).rejects.toThrow(`was used with ${A}, and the server now trusts ${B}`);
  await expect(made(store).check(client, B)).rejects.toThrow('was used with');
});

test('a client with nothing to leak is bound to one authorization server for each endpoint', async () => {
  const { check } = made();
  await check({ id: 'c' }, A);
  await check({ id: 'c' }, B, elsewhere);
  await expect(check({ id: 'c' }, B)).rejects.toThrow('was used with');
  await expect(check({ id: 'c' }, A, elsewhere)).rejects.toThrow('was used with');
});

test('a client whose authorization server is named is used with no other, whatever was stored', async () => {
  const { check } = made();
  await check({ id: 'c', secret: 's' }, B);
  await check({ id: 'c', secret: 's', issuer: A }, A);
  await expect(check({ id: 'c', secret: 's', issuer: A }, B)).rejects.toThrow(
    `is registered with ${A}, and the server now trusts ${B}`,
  );
});

test('of two endpoints at the same time, the first decides', async () => {
  const { check } = made();
  const client = { id: 'c', secret: 's' };
  const both = await Promise.allSettled([check(client, A), check(client, B, elsewhere)]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('of two processes at the same time that share a store, the first decides', async () => {
  let last: Promise<unknown> = Promise.resolve();
  const store: CredentialStore = {
    ...memoryCredentials(),
    whileLocked<T>(_: string, work: () => Promise<T>): Promise<T> {
      const done = last.then(work);
      last = done;
      return done;
    },
  };
  const client = { id: 'c', secret: 's' };
  const both = await Promise.allSettled([made(store).check(client, A), made(store).check(client, B, elsewhere)]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('a store that failed once is asked again', async () => {
  const store = memoryCredentials();
  const { check } = made(store);
  vi.spyOn(store, 'read').mockRejectedValueOnce(new Error('locked'));
  await expect(check({ id: 'c', secret: 's' }, A)).rejects.toThrow('locked');
  await check({ id: 'c', secret: 's' }, A);
});

test('a client whose authorization server cannot be stored is not used', async () => {
  const { check, store } = made();
  vi.spyOn(store, 'write').mockRejectedValueOnce(new Error('disk full'));
  await expect(check({ id: 'c', secret: 's' }, A)).rejects.toThrow('disk full');
});
