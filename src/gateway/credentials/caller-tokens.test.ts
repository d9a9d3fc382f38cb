/** Credentials that are derived from a caller's token. */
import { expect, test } from 'vitest';
import type { AuthRejection, AuthRequest, ClientAuth } from '../../model/auth.ts';
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
  for (const [at, auth] of sent.entries()) await callers.remember(async () => auth)(request(`Bearer token-${at}`));
  const keys = sent.map((auth) => credentials.keyFor(auth));
  expect(new Set(keys).size).toBe(3);
  expect(await Promise.all(sent.map((auth) => tokenOf(credentials.authFor(auth))))).toEqual([
    'token-0',
    'token-1',
    'token-2',
  ]);
  expect(credentials.keyFor(who('ada', 'write', 'read'))).toBe(keys[0]);
});

test('callers of the same name at two issuers, or by two clients, never use the token of one another', async () => {
  const callers = callerTokens();
  const sent = [who('ada'), { ...who('ada'), issuer: 'https://other.example' }, { ...who('ada'), clientId: 'chat' }];
  for (const [at, auth] of sent.entries()) await callers.remember(async () => auth)(request(`Bearer token-${at}`));
  const credentials = credentialsOf(callers);
  expect(await Promise.all(sent.map((auth) => tokenOf(credentials.authFor(auth))))).toEqual(
    sent.map((_, at) => `token-${at}`),
  );
});

test('of more than 1,000 callers of an upstream, the credentials of the one that called longest ago are made again', () => {
  const credentials = credentialsOf(callerTokens());
  const [first, second] = [credentials.authFor(who('user-0')), credentials.authFor(who('user-1'))];
  for (let at = 2; at <= 1_000; at++) credentials.authFor(who(`user-${at}`));
  expect(credentials.authFor(who('user-1'))).toBe(second);
  expect(credentials.authFor(who('user-0'))).not.toBe(first);
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
  const rejected: AuthRejection = { status: 401, wwwAuthenticate: 'Bearer' };
  for (const authenticate of [() => rejected, async () => rejected])
    await callers.remember(authenticate)(request('Bearer stolen'));
  const credentials = credentialsOf(callers);
  for (const auth of [who('ada'), undefined])
    await expect(tokenOf(credentials.authFor(auth))).rejects.toThrow('has not called with a token');
});

test('an authenticator that remembers tokens decides, answers and describes itself as the one behind it', async () => {
  const documents = new Map([['/.well-known/x', {}]]);
  const challenge: AuthRejection = { status: 401, wwwAuthenticate: 'Bearer' };
  const insufficient = (): AuthRejection => ({ status: 403, wwwAuthenticate: 'Bearer scope="more"' });
  const behind = Object.assign(
    ({ header }: AuthRequest) => (header('authorization') === undefined ? challenge : who('ada')),
    { documents, insufficient },
  );
  const remembering = callerTokens().remember(behind);
  expect(await remembering(request('Bearer a'))).toEqual(who('ada'));
  expect(await remembering({ ...request(''), header: () => undefined })).toBe(challenge);
  expect([remembering.documents, remembering.insufficient]).toEqual([documents, insufficient]);
  const bare = callerTokens().remember(() => who('ada'));
  expect(Object.keys(bare)).toEqual([]);
});

test('a caller that comes without a token is let in, keeps the token of its last call, and leaves none of its own', async () => {
  const callers = callerTokens();
  const authenticate = callers.remember(() => who('ada'));
  const without = { ...request(''), header: () => undefined };
  expect(await authenticate(without)).toEqual(who('ada'));
  const auth = credentialsOf(callers).authFor(who('ada'));
  await expect(tokenOf(auth)).rejects.toThrow('has not called with a token');
  await authenticate(request('Bearer first'));
  await authenticate(without);
  for (const other of ['Basic YWRhOng=', 'Basic Bearer a', 'Bearer-a', 'Bearer a b', 'Bearer a\n', 'Bearer '])
    await authenticate(request(other));
  expect(await tokenOf(auth)).toBe('first');
});

test('of more than 10,000 callers, the token of the one that called longest ago is dropped', async () => {
  const callers = callerTokens();
  let subject = '';
  const authenticate = callers.remember(() => who(subject));
  for (let at = 0; at <= 10_000; at++) {
    subject = `user-${at}`;
    await authenticate(request(`Bearer token-${at}`));
  }
  const credentials = credentialsOf(callers);
  await expect(tokenOf(credentials.authFor(who('user-0')))).rejects.toThrow('has not called with a token');
  expect(await tokenOf(credentials.authFor(who('user-1')))).toBe('token-1');
  expect(await tokenOf(credentials.authFor(who('user-10000')))).toBe('token-10000');
});
