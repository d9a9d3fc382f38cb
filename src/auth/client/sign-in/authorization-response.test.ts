/** Validation of the authorization response: state, issuer, code and error. */
import { expect, test } from 'vitest';
import { OAuthWorld } from '../../../../test/support/oauth-world.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { readAuthorizationResponse } from './authorization-response.ts';

const issuer = 'https://auth.example';
const server = (sendsIssuer: boolean): AuthorizationServer => ({
  issuer,
  sendsIssuer,
  tokenEndpoint: `${issuer}/token`,
  acceptsMetadataUrl: false,
  lacksMetadata: false,
});
const read = (query: string, sendsIssuer = true): string =>
  readAuthorizationResponse(new OAuthWorld().context, `http://127.0.0.1:4000/callback?${query}`, {
    state: 'ours',
    server: server(sendsIssuer),
  });
const failure = (query: string, sendsIssuer = true): string => {
  try {
    return `believed: ${read(query, sendsIssuer)}`;
  } catch (error) {
    return String(error);
  }
};
const named = `iss=${encodeURIComponent(issuer)}`;

test('the code is accepted if state and issuer match', () => {
  verifies('AUTH-077', 'AUTH-113');
  expect(read(`code=abc&state=ours&${named}`)).toBe('abc');
});

test.each([
  'code=abc',
  'code=abc&state=',
  'code=abc&state=theirs',
  'code=abc&state=ours&state=theirs',
  '',
  'error=LURE',
  'error=LURE&state=theirs',
])('without our state nothing counts: %s', (query) => {
  verifies('AUTH-113', 'AUTH-101');
  expect(failure(`${query}&${named}`)).toContain('it belongs to another sign-in');
});

test.each<[string, boolean]>([
  ['iss=https://evil.example', true],
  ['iss=https://evil.example', false],
  [`iss=${issuer}/`, true],
  ['iss=https://AUTH.example', true],
  [`iss=${issuer}:443`, true],
  ['iss=https://auth%2Eexample%2F', false],
  [`${named}&iss=https://evil.example`, true],
  ['iss=', true],
])('a response with another issuer is rejected: %s, announced: %s', (iss, announced) => {
  verifies('AUTH-077', 'AUTH-079');
  expect(failure(`code=abc&state=ours&${iss}`, announced)).toContain('is from another issuer');
});

test('a response without iss is rejected if the server announces iss, and accepted otherwise', () => {
  verifies('AUTH-078');
  expect(failure('code=abc&state=ours')).toContain('does not name its issuer');
  expect(read('code=abc&state=ours', false)).toBe('abc');
});

test.each(['iss=https://evil.example', ''])('an error response of another issuer is not quoted: %s', (iss) => {
  verifies('AUTH-080');
  const query = `error=LURE&error_description=Visit+evil.example&error_uri=https://evil.example/x&state=ours&${iss}`;
  expect(failure(query)).not.toMatch(/LURE|evil\.example/);
  expect(failure(query)).toContain('this can be a mix-up attack');
});

test('an error response of the issuer is quoted without control characters', () => {
  expect(failure(`error=access_denied&error_description=No%1B[31m&state=ours&${named}`)).toContain(
    'the authorization server said access_denied (No\\u001b[31m)',
  );
});

test('at most 300 characters of an error response are quoted', () => {
  const text = failure(`error=${'x'.repeat(301)}&state=ours&${named}`);
  expect(/x{9,}/.exec(text)?.[0]).toBe('x'.repeat(300));
});

test.each(['', 'code=', 'code=a&code=b'])('a response with neither a code nor an error is rejected: %s', (query) => {
  expect(failure(`${query}&state=ours&${named}`)).toContain('neither a code nor an error');
});

test('text that is not a URL is rejected', () => {
  expect(() =>
    readAuthorizationResponse(new OAuthWorld().context, 'abc', { state: 'ours', server: server(true) }),
  ).toThrow('belongs to another sign-in');
});
