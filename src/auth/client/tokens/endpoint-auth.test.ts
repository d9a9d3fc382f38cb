/** Which requests get credentials, and which rejections start a flow for new ones. */
import { expect, test, vi } from 'vitest';
import type { ChallengedRequest } from '../../../model/auth.ts';
import { CANCELLED } from '../../../model/names.ts';
import { Deferred } from '../../../peer/wait.ts';
import { DpopProofs } from '../identity/dpop.ts';
import { endpointAuth } from './endpoint-auth.ts';
import type { Tokens } from './tokens.ts';

const endpoint = new URL('https://mcp.example/mcp');
const request = { method: 'POST', url: endpoint, operation: 'tools/call', signal: new AbortController().signal };

function challenge(status: number, header: string, more: Partial<ChallengedRequest> = {}): ChallengedRequest {
  const fields = new Map([
    ['www-authenticate', header],
    ['dpop-nonce', 'n'],
  ]);
  const sent = { authorization: 'Bearer held' };
  return { ...request, status, header: (name) => fields.get(name), sent, revision: undefined, ...more };
}

const made = ({ proofs }: { proofs?: DpopProofs } = {}) => {
  const tokens = {
    current: vi.fn(() => ({ scheme: 'Bearer', accessToken: 'held' })),
    needsRenewal: vi.fn(() => false),
    renew: vi.fn(async () => undefined),
    replace: vi.fn(async () => true),
    widen: vi.fn(async () => true),
    markAccepted: vi.fn(),
  };
  return { tokens, auth: endpointAuth(endpoint, tokens as unknown as Tokens, proofs) }; // the methods that it uses
};
const withNonce = (): DpopProofs => ({ rememberNonce: () => true }) as unknown as DpopProofs; // the method that it uses

test('another origin gets no token, and its challenges none either', async () => {
  const { auth, tokens } = made();
  const url = new URL('https://mcp.example:8443/mcp');
  expect(await auth.headers({ ...request, url })).toBeUndefined();
  expect(await auth.onChallenge(challenge(401, 'Bearer', { url }))).toBe(false);
  expect(tokens.replace).not.toHaveBeenCalled();
  expect(await auth.headers(request)).toEqual({ authorization: 'Bearer held' });
});

test('a 403 is answered with a wider token only if scopes are missing', async () => {
  const { auth, tokens } = made();
  expect(await auth.onChallenge(challenge(403, 'Bearer error="access_denied"'))).toBe(false);
  expect(await auth.onChallenge(challenge(403, ''))).toBe(false);
  expect(tokens.widen).not.toHaveBeenCalled();
  expect(tokens.markAccepted).not.toHaveBeenCalled();
  expect(await auth.onChallenge(challenge(403, 'Bearer error="insufficient_scope"'))).toBe(true);
  // The server accepts the token, but the request needs more scopes.
  expect(tokens.markAccepted).toHaveBeenCalledOnce();
});

test('a server that wants credentials of another scheme gets no new token', async () => {
  const { auth, tokens } = made();
  expect(await auth.onChallenge(challenge(401, 'Basic realm="x"'))).toBe(false);
  expect(tokens.replace).not.toHaveBeenCalled();
});

test('a new nonce alone sends the request again only if the server asked for it', async () => {
  const { auth, tokens } = made({ proofs: withNonce() });
  expect(await auth.onChallenge(challenge(401, 'DPoP error="use_dpop_nonce"'))).toBe(true);
  expect(tokens.replace).not.toHaveBeenCalled();
  await auth.onChallenge(challenge(401, 'DPoP error="invalid_token"'));
  expect(tokens.replace).toHaveBeenCalledOnce();
});

test('concurrent requests that are asked for the same nonce are all sent again, with the token that they have', async () => {
  const { auth, tokens } = made({ proofs: new DpopProofs() });
  for (let i = 0; i < 3; i++) expect(await auth.onChallenge(challenge(401, 'DPoP error="use_dpop_nonce"'))).toBe(true);
  expect(tokens.replace).not.toHaveBeenCalled();
});

test('a client without proofs that is asked for a nonce gets a new token', async () => {
  const { auth, tokens } = made();
  await auth.onChallenge(challenge(401, 'DPoP error="use_dpop_nonce"'));
  expect(tokens.replace).toHaveBeenCalledOnce();
});

test('a request that was sent with an older token is sent again with the current one', async () => {
  const { auth, tokens } = made();
  const sent = { authorization: 'Bearer older' };
  expect(await auth.onChallenge(challenge(401, 'Bearer', { sent }))).toBe(true);
  expect(tokens.replace).not.toHaveBeenCalled();
});

test.each([{ method: 'DELETE' }, { operation: CANCELLED }])('the user does not sign in for %j', async (teardown) => {
  const { auth, tokens } = made();
  expect(await auth.onChallenge(challenge(401, 'Bearer', teardown))).toBe(false);
  expect(tokens.replace).not.toHaveBeenCalled();
});

test('while the user signs in for more scopes of one call, other calls are sent with the token that they have', async () => {
  const { auth, tokens } = made();
  const stepUp = new Deferred<boolean>();
  tokens.widen.mockReturnValueOnce(stepUp.promise);
  const denied = auth.onChallenge(challenge(403, 'Bearer error="insufficient_scope", scope="admin"'));
  expect(await auth.headers(request)).toEqual({ authorization: 'Bearer held' });
  stepUp.reject(new Error('the user declined'));
  await expect(denied).rejects.toThrow('the user declined');
  // A later flow that replaces the token is waited for again.
  const signIn = new Deferred<boolean>();
  tokens.replace.mockReturnValueOnce(signIn.promise);
  const replaced = auth.onChallenge(challenge(401, 'Bearer'));
  const waiting = Promise.resolve(auth.headers(request));
  tokens.current.mockReturnValue({ scheme: 'Bearer', accessToken: 'new' });
  signIn.resolve(true);
  expect([await replaced, await waiting]).toEqual([true, { authorization: 'Bearer new' }]);
});

test.each([{ method: 'DELETE' }, { operation: CANCELLED }])('%j does not wait for a sign-in', async (teardown) => {
  const { auth, tokens } = made();
  let signIn: (done: boolean) => void = () => undefined;
  tokens.replace.mockReturnValueOnce(
    new Promise((resolve) => {
      signIn = resolve;
    }),
  );
  const waiting = auth.onChallenge(challenge(401, 'Bearer'));
  expect(tokens.replace).toHaveBeenCalledOnce();
  expect(await auth.headers({ ...request, ...teardown })).toEqual({ authorization: 'Bearer held' });
  expect(await auth.onChallenge(challenge(401, 'Bearer', teardown))).toBe(false);
  signIn(true);
  expect(await waiting).toBe(true);
});
