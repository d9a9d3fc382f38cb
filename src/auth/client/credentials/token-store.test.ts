/** Serialization of tokens and registrations, and validation of stored entries. */
import { expect, test } from 'vitest';
import { memoryCredentials } from './credential-store.ts';
import { type HeldTokens, TokenStore } from './token-store.ts';

const endpoint = new URL('https://mcp.example/mcp');
const issuer = 'https://auth.example';
const minimal: HeldTokens = { accessToken: 'a', issuer, resource: endpoint.href, scheme: 'Bearer', requested: [] };
const whole: HeldTokens = {
  ...minimal,
  expiresAt: 2,
  renewAt: 1,
  refreshToken: 'r',
  scopes: ['read'],
  clientId: 'c',
  requested: ['read', 'write'],
  user: { subject: 's', name: 'Ada', email: 'ada@example.com' },
};

const made = () => {
  const store = memoryCredentials();
  return { store, tokenStore: new TokenStore(store) };
};

test.each([minimal, whole])('tokens are read as they were saved, for their endpoint only: %j', async (tokens) => {
  const { tokenStore } = made();
  await tokenStore.saveTokens(endpoint, tokens);
  expect(await tokenStore.tokens(endpoint)).toEqual(tokens);
  expect(await tokenStore.tokens(new URL('https://mcp.example/other'))).toBeUndefined();
  await tokenStore.removeTokens(endpoint);
  expect(await tokenStore.tokens(endpoint)).toBeUndefined();
});

test.each(['accessToken', 'issuer', 'resource'])('stored tokens without %s count as absent', async (name) => {
  const { store, tokenStore } = made();
  await store.write(`tokens ${endpoint.href}`, JSON.stringify({ ...whole, [name]: undefined }));
  expect(await tokenStore.tokens(endpoint)).toBeUndefined();
});

test('stored tokens without requested scopes are read with an empty list', async () => {
  const { store, tokenStore } = made();
  await store.write(`tokens ${endpoint.href}`, JSON.stringify({ ...minimal, requested: undefined }));
  expect(await tokenStore.tokens(endpoint)).toEqual(minimal);
});

test('a registration that cannot be stored is an error', async () => {
  const full = { ...memoryCredentials(), write: () => Promise.reject(new Error('disk full')) };
  const saved = new TokenStore(full).saveRegistration(issuer, { id: 'a', redirectUris: [] });
  await expect(saved).rejects.toThrow('disk full');
});

test('a stored user without a subject counts as absent', async () => {
  const { store, tokenStore } = made();
  await store.write(`tokens ${endpoint.href}`, JSON.stringify({ ...whole, user: { name: 'Ada' } }));
  expect(await tokenStore.tokens(endpoint)).toEqual({ ...whole, user: undefined });
});

test('the newest four registrations with an authorization server are kept, the newest first', async () => {
  const { tokenStore } = made();
  const registration = (id: string) => ({ id, redirectUris: [`http://127.0.0.1/${id}`] });
  for (const id of ['a', 'b', 'c', 'd', 'e', 'c']) await tokenStore.saveRegistration(issuer, registration(id));
  expect((await tokenStore.registrations(issuer)).map(({ id }) => id)).toEqual(['c', 'e', 'd', 'b']);
  await tokenStore.removeRegistration(issuer, 'e');
  expect(await tokenStore.registrations(issuer)).toEqual(['c', 'd', 'b'].map(registration));
  expect(await tokenStore.registrations('https://other.example')).toEqual([]);
});

test('a registration is read as it was saved, and one without an id is skipped', async () => {
  const { store, tokenStore } = made();
  const known = { id: 'a', secret: 's', method: 'client_secret_post', redirectUris: [], expiresAt: 5 };
  await tokenStore.saveRegistration(issuer, known);
  expect(await tokenStore.registrations(issuer)).toEqual([known]);
  await store.write(`clients ${issuer}`, JSON.stringify({ clients: [{ secret: 's' }, { id: 'b' }] }));
  expect(await tokenStore.registrations(issuer)).toEqual([{ id: 'b', redirectUris: [] }]);
});

test('registrations and tokens are changed under the lock of the store', async () => {
  const locked: string[] = [];
  const tokenStore = new TokenStore({
    ...memoryCredentials(),
    whileLocked: (key, work) => {
      locked.push(key);
      return work();
    },
  });
  await tokenStore.saveRegistration(issuer, { id: 'a', redirectUris: [] });
  expect(await tokenStore.whileLocked(endpoint, async () => 'done')).toBe('done');
  expect(locked).toEqual([`clients ${issuer}`, `tokens ${endpoint.href}`]);
});
