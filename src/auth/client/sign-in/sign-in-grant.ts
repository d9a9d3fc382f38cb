/** The grant of `oauth()`: authorization code with PKCE, and refresh tokens. */
import { untilAborted } from '../../../peer/wait.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { redirectUrl } from '../context/browser-url.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { checkProofSupport, type DpopProofs } from '../identity/dpop.ts';
import type { Registrar } from '../registration/registrar.ts';
import type { Grant, GrantedTokens, GrantRequest } from '../tokens/grant.ts';
import { isTokenRefusal, requestToken, type TokenRefusal } from '../tokens/token-endpoint.ts';
import { authorizationEndpoint, authorizationUrl, createCodeChallenge, randomSecret } from './authorization-request.ts';
import { readAuthorizationResponse } from './authorization-response.ts';
import type { SignIn, SignInAttempt } from './sign-in.ts';

export interface SignInParts {
  readonly context: AuthContext;
  readonly registrar: Registrar;
  readonly signIn: SignIn;
  readonly proofs?: DpopProofs | undefined;
  readonly issuer?: string | undefined;
}

export function signInGrant({ context, registrar, signIn, proofs, issuer }: SignInParts): Grant {
  /** Sends the user to the authorization endpoint. Returns the code of the response, and the verifier that the token request needs. */
  async function requestCode(
    wanted: GrantRequest,
    endpoint: URL,
    attempt: SignInAttempt,
    clientId: string,
  ): Promise<{ code: string; code_verifier: string }> {
    const { server, resource, scopes, signal } = wanted;
    const { redirectUri } = attempt;
    const { verifier, challenge } = await createCodeChallenge();
    const state = randomSecret();
    const proofKey = await proofs?.thumbprint();
    const asked = scopes?.join(' ') ?? 'left to the server';
    context.traceChoice('authorization request', `${endpoint.origin}, scopes: ${asked}`);
    const request = { clientId, redirectUri, resource, scopes, state, challenge, proofKey };
    const url = authorizationUrl(endpoint, request);
    signal?.throwIfAborted();
    const returned = await untilAborted(attempt.finish(url), signal);
    return { code: readAuthorizationResponse(context, returned, { state, server }), code_verifier: verifier };
  }

  /** Removes the registration if the server no longer knows the client. */
  async function toFailure(refusal: TokenRefusal, server: AuthorizationServer, id: string): Promise<FailedSignIn> {
    const forgotten = refusal.refused === 'invalid_client' && (await registrar.forgetClient(server, id));
    return { ...refusal, forgotten };
  }

  async function signInOnce(wanted: GrantRequest): Promise<GrantedTokens | FailedSignIn> {
    const { server, resource } = wanted;
    const endpoint = authorizationEndpoint(context, server);
    if (proofs !== undefined) checkProofSupport(context, server);
    wanted.signal?.throwIfAborted();
    const attempt = await beginSignIn(signIn, await registrar.redirectUris(server));
    try {
      // Also while the user is asked for a client, who may never answer.
      const client = await untilAborted(registrar.clientFor(server, attempt.redirectUri), wanted.signal);
      const code = await requestCode(wanted, endpoint, attempt, client.id);
      const params = { grant_type: 'authorization_code', ...code, redirect_uri: attempt.redirectUri, resource };
      const outcome = await requestToken(context, { server, client, params, proofs });
      if (isTokenRefusal(outcome)) return await toFailure(outcome, server, client.id);
      return { ...outcome, clientId: client.id };
    } finally {
      await attempt.close();
    }
  }

  return {
    unattended: false,
    issuer,
    async obtain(wanted) {
      const first = await signInOnce(wanted);
      // Retries once with a new registration if the authorization server deleted the stored one.
      const outcome = isTokenRefusal(first) && first.forgotten ? await signInOnce(wanted) : first;
      if (isTokenRefusal(outcome)) throw context.failure('token', outcome.why);
      return outcome;
    },
    async refresh(server, { refreshToken = '', resource, clientId, ...held }) {
      const client = await registrar.formerClient(server, clientId);
      if (client === undefined) return undefined;
      const params = { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
      const outcome = await requestToken(context, { server, client, params, proofs });
      if (isTokenRefusal(outcome)) return toFailure(outcome, server, client.id);
      // Keeps the previous values that the response omits: some servers do not rotate refresh tokens, or do not repeat scopes and ID token.
      const { scopes = held.scopes, user = held.user } = outcome;
      return { ...outcome, clientId, scopes, user, refreshToken: outcome.refreshToken ?? refreshToken };
    },
  };
}

interface FailedSignIn extends TokenRefusal {
  /** The stored registration was removed, so that the client can register again. */
  readonly forgotten: boolean;
}

async function beginSignIn(signIn: SignIn, known: readonly string[]): Promise<SignInAttempt> {
  const attempt = await signIn.begin(known);
  try {
    redirectUrl(attempt.redirectUri, 'The redirectUri of "signIn"');
    return attempt;
  } catch (error) {
    await attempt.close();
    throw error;
  }
}
