import { expect, test } from 'vitest';
import { toBase64Url } from '../../../model/base64.ts';
import { readIdToken } from './id-token.ts';

const parties = { issuer: 'https://auth.example', clientId: 'client-1' };
const claims = { iss: parties.issuer, aud: 'client-1', sub: 'u-1', name: 'Ada Lovelace', email: 'ada@example.com' };

const token = (payload: unknown): string =>
  `e30.${toBase64Url(new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload)))}.c2ln`;

test('an ID token says who signed in', () => {
  expect(readIdToken(token(claims), parties)).toEqual({
    subject: 'u-1',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
  });
  expect(readIdToken(token({ ...claims, aud: ['other', 'client-1'], name: undefined }), parties)).toMatchObject({
    subject: 'u-1',
    name: undefined,
  });
});

test('an ID token without a name or an email shows preferred_username', () => {
  const { name: _name, email: _email, ...bare } = claims;
  expect(readIdToken(token({ ...bare, preferred_username: 'ada' }), parties)).toEqual({
    subject: 'u-1',
    name: 'ada',
    email: undefined,
  });
});

test.each([
  ['of another issuer', token({ ...claims, iss: 'https://evil.example' })],
  ['for another client', token({ ...claims, aud: 'client-2' })],
  ['without an audience', token({ ...claims, aud: undefined })],
  ['without a subject', token({ ...claims, sub: undefined })],
  ['that is no JSON', token('ada')],
  ['that is no JSON object', token([claims])],
  ['that is not encoded', 'e30.{"sub":"u-1"}.c2ln'],
  ['without parts', 'opaque'],
  ['that is missing', undefined],
])('an ID token %s is ignored', (_, text) => {
  expect(readIdToken(text, parties)).toBeUndefined();
});

test('an ID token for a grant without a client is ignored', () => {
  for (const aud of ['client-1', undefined])
    expect(readIdToken(token({ ...claims, aud }), { ...parties, clientId: undefined })).toBeUndefined();
});

test('the claims of an ID token are cut to a length that can be shown', () => {
  const long = 'x'.repeat(10_000);
  const user = readIdToken(token({ ...claims, sub: long, name: long, email: long }), parties);
  expect([user?.subject, user?.name, user?.email].map((text) => text?.length)).toEqual([200, 200, 200]);
});
