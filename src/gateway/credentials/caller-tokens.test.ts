/** Credentials that are made of a caller's token. */
import { expect, test } from 'vitest';
import type { AuthRequest, ClientAuth } from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { type CallerTokens, callerTokens } from './caller-tokens.ts';

const request = (authorization: string): AuthRequest => ({
  method: 'POST',
  path: '/mcp',
  header: (name) => (name === 'authorization' ? authorization : undefined),
});
const who = (subject: string, ...scopes: string[]): AuthInfo => ({ issuer: 'https://id.example', subject, scopes });
const credentialsOf = (callers: CallerTokens) =>
  callers.credentials((subjectToken) => Object.assign(() => ({}) as never, { subjectToken }) as ClientAuth);
const tokenOf = (auth: ClientAuth | undefined): Promise<string> =>
  (auth as unknown as { subjectToken(): Promise<string> }).subjectToken();

test('credentials belong to a caller and its scopes: a token with fewer scopes never uses what was made of one with more', async () => {
  const callers = callerTokens();
  const credentials = credentialsOf(callers);
  const sent: AuthInfo[] = [who('ada', 'read', 'write'), who('ada', 'read'), who('bob', 'read', 'write')];
  for (const [at, auth] of sent.entries()) await callers.remember(() => auth)(request(`Bearer token-${at}`));
  const keys = sent.map((auth) => credentials.keyFor(auth));
  expect(new Set(keys).size).toBe(3);
  expect(await Promise.all(sent.map((auth) => tokenOf(credentials.authFor(auth))))).toEqual([
    'token-0',
    'token-1',
    'token-2',
  ]);
  expect(credentials.keyFor(who('ada', 'write', 'read'))).toBe(keys[0]);
});

test('the same caller gets the same credentials, which renew with the token of its last call', async () => {
  const callers = callerTokens();
  const credentials = credentialsOf(callers);
  const authenticate = callers.remember(() => who('ada'));
  await authenticate(request('Bearer first'));
  const auth = credentials.authFor(who('ada'));
  await authenticate(request('DPoP second'));
  expect(credentials.authFor(who('ada'))).toBe(auth);
  expect(await tokenOf(auth)).toBe('second');
});

test('a caller that was rejected leaves nothing behind, and without a token nothing can be made', async () => {
  const callers = callerTokens();
  await callers.remember(() => ({ status: 401, wwwAuthenticate: 'Bearer' }))(request('Bearer stolen'));
  await expect(tokenOf(credentialsOf(callers).authFor(who('ada')))).rejects.toThrow('has not called with a token');
});
