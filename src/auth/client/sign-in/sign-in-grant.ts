/** The authorization code grant with PKCE, and its refresh tokens. */
import { untilAborted } from '../../../peer/wait.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { redirectUrl } from '../context/browser-url.ts';
import type { HeldTokens } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { checkProofSupport, type DpopProofs } from '../identity/dpop.ts';
import type { Registrar } from '../registration/registrar.ts';
import type { Grant, Granted, GrantRequest } from '../tokens/grant.ts';
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

export class SignInGrant implements Grant {
  readonly unattended = false;
  readonly issuer: string | undefined;
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.issuer = parts.issuer;
  }

  async obtain(wanted: GrantRequest): Promise<Granted> {
    const first = await this.#signIn(wanted);
    // The authorization server can have deleted the stored registration.
    const outcome = isTokenRefusal(first) && first.forgotten ? await this.#signIn(wanted) : first;
    if (isTokenRefusal(outcome)) throw this.#parts.context.failure('token', outcome.why);
    return outcome;
  }

  async refresh(server: AuthorizationServer, held: HeldTokens): Promise<Granted | TokenRefusal | undefined> {
    const { context, registrar, proofs } = this.#parts;
    const { refreshToken = '', resource, clientId } = held;
    const client = await registrar.formerClient(server, clientId);
    if (client === undefined) return undefined;
    const params = { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
    const outcome = await requestToken(context, { server, client, params, proofs });
    if (isTokenRefusal(outcome)) return this.#toFailure(outcome, server, client.id);
    // Servers that do not rotate refresh tokens, and do not repeat the granted scopes and the ID token, send none of them.
    const { scopes = held.scopes, user = held.user } = outcome;
    return { ...outcome, clientId, scopes, user, refreshToken: outcome.refreshToken ?? refreshToken };
  }

  async #signIn(wanted: GrantRequest): Promise<Granted | FailedSignIn> {
    const { context, registrar, signIn, proofs } = this.#parts;
    const { server } = wanted;
    const endpoint = authorizationEndpoint(context, server);
    if (proofs !== undefined) checkProofSupport(context, server);
    wanted.signal?.throwIfAborted();
    const attempt = await beginSignIn(signIn, await registrar.redirectUris(server));
    try {
      const client = await registrar.clientFor(server, attempt.redirectUri);
      const { code, verifier } = await this.#consent(wanted, endpoint, attempt, client.id);
      const { redirectUri: redirect_uri } = attempt;
      const { resource } = wanted;
      const params = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier, resource };
      const outcome = await requestToken(context, { server, client, params, proofs });
      if (isTokenRefusal(outcome)) return await this.#toFailure(outcome, server, client.id);
      return { ...outcome, clientId: client.id };
    } finally {
      await attempt.close();
    }
  }

  /** A client that the server no longer knows is removed. */
  async #toFailure(refusal: TokenRefusal, server: AuthorizationServer, id: string): Promise<FailedSignIn> {
    const forgotten = refusal.refused === 'invalid_client' && (await this.#parts.registrar.forgetClient(server, id));
    return { ...refusal, forgotten };
  }

  async #consent(
    wanted: GrantRequest,
    endpoint: URL,
    attempt: SignInAttempt,
    clientId: string,
  ): Promise<{ code: string; verifier: string }> {
    const { context, proofs } = this.#parts;
    const { server, resource, scopes } = wanted;
    const { redirectUri } = attempt;
    const { verifier, challenge } = await createCodeChallenge();
    const state = randomSecret();
    const proofKey = await proofs?.thumbprint();
    const request = { clientId, redirectUri, resource, scopes, state, challenge, proofKey };
    const asked = scopes?.join(' ') ?? 'left to the server';
    context.traceChoice('authorization request', `${endpoint.origin}, scopes: ${asked}`);
    const url = authorizationUrl(endpoint, request);
    wanted.signal?.throwIfAborted();
    const returned = await untilAborted(attempt.finish(url), wanted.signal);
    return { code: readAuthorizationResponse(context, returned, { state, server }), verifier };
  }
}

interface FailedSignIn extends TokenRefusal {
  /** The rejected client was removed, and another can register. */
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
