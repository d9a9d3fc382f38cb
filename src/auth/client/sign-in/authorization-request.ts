/** The address that a person is sent to, to say yes. */

import type { AuthContext } from '../context/auth-context.ts';
import { browserUrl, isLoopbackUrl } from '../context/browser-url.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { OFFLINE } from '../discovery/scopes.ts';

const STEP = 'authorization request';

export interface AuthorizationRequest {
  readonly server: AuthorizationServer;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  readonly state: string;
  readonly challenge: string;
  /** The thumbprint of the key that the token is to be bound to. */
  readonly proofKey?: string | undefined;
}

/** Refuses servers that nobody should be sent to: before anything is registered, and before a browser opens. */
export function authorizationEndpoint(context: AuthContext, server: AuthorizationServer): URL {
  const { authorizationEndpoint: text, challengeMethods, guessed } = server;
  if (text === undefined) throw context.failure(STEP, 'the authorization server has no authorization_endpoint');
  // Without metadata there is nothing to learn it from; the challenge is sent, and whoever ignores it is in breach.
  if (!guessed && challengeMethods?.includes('S256') !== true) {
    const has = challengeMethods === undefined ? 'it does not say that it knows PKCE' : 'S256 is not among its methods';
    throw context.failure(
      STEP,
      `codes are not safe with this authorization server: ${has} (code_challenge_methods_supported)`,
    );
  }
  const url = browserUrl(text);
  if (isLoopbackUrl(url) && !isLoopbackUrl(context.endpoint))
    throw context.failure(STEP, `a server at ${context.endpoint.host} sends nobody to this machine`);
  return url;
}

export function authorizationUrl(endpoint: URL, request: AuthorizationRequest): string {
  const { clientId, redirectUri, resource, scopes, state, challenge, proofKey } = request;
  const url = new URL(endpoint);
  url.hash = '';
  const params: Record<string, string> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    resource,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    // OpenID Connect leaves the scope out unless somebody consents to it now.
    ...(scopes?.includes(OFFLINE) === true ? { prompt: 'consent' } : {}),
    ...(proofKey === undefined ? {} : { dpop_jkt: proofKey }),
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}
