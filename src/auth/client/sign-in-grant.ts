/** Tokens that a person consents to: the authorization code, with PKCE, and its refresh tokens. */
import { authorizationEndpoint, authorizationUrl } from './authorization-request.ts';
import { readResponse } from './authorization-response.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { redirectUrl } from './browser-url.ts';
import type { AuthContext } from './flow.ts';
import type { Grant, Granted, GrantRequest } from './grant.ts';
import type { HeldTokens } from './keeping.ts';
import { codeChallenge, unguessable } from './pkce.ts';
import type { ProofMaker } from './proof.ts';
import { checkProofs } from './proof-support.ts';
import type { Registrar } from './registration.ts';
import type { SignIn, SignInAttempt } from './sign-in.ts';
import { isTokenRefusal, requestToken, type TokenRefusal } from './token-endpoint.ts';

export interface SignInParts {
  readonly flow: AuthContext;
  readonly registrar: Registrar;
  readonly signIn: SignIn;
  readonly proofs?: ProofMaker | undefined;
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
    const first = await this.#signedIn(wanted);
    // The registration we have may be older than the memory of the authorization server.
    const outcome = isTokenRefusal(first) && first.forgotten ? await this.#signedIn(wanted) : first;
    if (isTokenRefusal(outcome)) throw this.#parts.flow.failed('token', outcome.why);
    return outcome;
  }

  async refresh(server: AuthorizationServer, held: HeldTokens): Promise<Granted | TokenRefusal | undefined> {
    const { flow, registrar, proofs } = this.#parts;
    const { refreshToken = '', resource, clientId } = held;
    const client = await registrar.formerly(server, clientId);
    if (client === undefined) return undefined;
    const params = { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
    const outcome = await requestToken(flow, { server, client, params, proofs });
    if (isTokenRefusal(outcome)) return this.#refused(outcome, server, client.id);
    // Servers that do not rotate refresh tokens, and do not repeat what they have granted, send neither.
    const { scopes = held.scopes } = outcome;
    return { ...outcome, clientId, scopes, refreshToken: outcome.refreshToken ?? refreshToken };
  }

  async #signedIn(wanted: GrantRequest): Promise<Granted | FailedSignIn> {
    const { flow, registrar, signIn, proofs } = this.#parts;
    const { server } = wanted;
    const endpoint = authorizationEndpoint(flow, server);
    if (proofs !== undefined) checkProofs(flow, server);
    wanted.signal?.throwIfAborted();
    const attempt = await begun(signIn, await registrar.redirectUris(server));
    try {
      const client = await registrar.client(server, attempt.redirectUri);
      const { code, verifier } = await this.#consent({ wanted, endpoint, attempt, clientId: client.id });
      const params = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: attempt.redirectUri,
        code_verifier: verifier,
        resource: wanted.resource,
      };
      const outcome = await requestToken(flow, { server, client, params, proofs });
      if (isTokenRefusal(outcome)) return await this.#refused(outcome, server, client.id);
      return { ...outcome, clientId: client.id };
    } finally {
      await attempt.close();
    }
  }

  /** Who is not known any more is not shown any more. */
  async #refused(refusal: TokenRefusal, server: AuthorizationServer, id: string): Promise<FailedSignIn> {
    const forgotten = refusal.refused === 'invalid_client' && (await this.#parts.registrar.forget(server, id));
    return { ...refusal, forgotten };
  }

  async #consent({ wanted, endpoint, attempt, clientId }: UserConsent): Promise<{ code: string; verifier: string }> {
    const { flow, proofs } = this.#parts;
    const { server, resource, scopes } = wanted;
    const { redirectUri } = attempt;
    const { verifier, challenge } = await codeChallenge();
    const state = unguessable();
    const proofKey = await proofs?.thumbprint();
    const request = { server, clientId, redirectUri, resource, scopes, state, challenge, proofKey };
    flow.chose('authorization request', `${endpoint.origin}, scopes: ${scopes?.join(' ') ?? 'as the server sees fit'}`);
    const url = authorizationUrl(endpoint, request);
    const returned = await whileWanted(() => attempt.finish(url), wanted.signal);
    return { code: readResponse(flow, returned, { state, server }), verifier };
  }
}

interface FailedSignIn extends TokenRefusal {
  /** Another client can be had in place of the one that was refused. */
  readonly forgotten: boolean;
}

interface UserConsent {
  readonly wanted: GrantRequest;
  readonly endpoint: URL;
  readonly attempt: SignInAttempt;
  readonly clientId: string;
}

async function begun(signIn: SignIn, known: readonly string[]): Promise<SignInAttempt> {
  const attempt = await signIn.begin(known);
  try {
    redirectUrl(attempt.redirectUri, 'The redirectUri of "signIn"');
    return attempt;
  } catch (error) {
    await attempt.close();
    throw error;
  }
}

/** Begins nothing that is called off already; what is called off later is not waited for. */
async function whileWanted(finish: () => Promise<string>, signal: AbortSignal | undefined): Promise<string> {
  if (signal === undefined) return finish();
  signal.throwIfAborted();
  let leave = (): void => undefined;
  const calledOff = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([finish(), calledOff]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
