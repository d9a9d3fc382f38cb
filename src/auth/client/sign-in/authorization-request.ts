/** Builds the authorization URL that the user opens, with PKCE (RFC 7636). */
import { toBase64Url } from '../../../model/base64.ts';
import { digestText } from '../../../model/canonical.ts';
import { hostScope } from '../../web/addresses.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { browserUrl } from '../context/browser-url.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { OFFLINE, scopeParam } from '../discovery/scopes.ts';

const STEP = 'authorization request';

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  readonly state: string;
  readonly challenge: string;
  /** The thumbprint of the key that the token must be bound to. */
  readonly proofKey?: string | undefined;
}

/** Rejects unsafe servers, before the client registers and before a browser opens. */
export function authorizationEndpoint(context: AuthContext, server: AuthorizationServer): URL {
  const { authorizationEndpoint: text, challengeMethods, guessed } = server;
  if (text === undefined) throw context.failure(STEP, 'the authorization server has no authorization_endpoint');
  // A server without metadata cannot announce PKCE; the challenge is sent to it all the same.
  if (!guessed && challengeMethods?.includes('S256') !== true) {
    const has = challengeMethods === undefined ? 'it does not announce PKCE' : 'S256 is not among its methods';
    const why = `codes are not safe with this authorization server: ${has} (code_challenge_methods_supported)`;
    throw context.failure(STEP, why);
  }
  const url = browserUrl(text);
  // Whatever the scheme: programs on this machine that trust its browsers listen for https, too. 0.0.0.0, which is reserved, leads to them.
  const isHere = ['loopback', 'reserved'].includes(hostScope(url.hostname) ?? '');
  if (isHere && hostScope(context.endpoint.hostname) !== 'loopback')
    throw context.failure(
      STEP,
      `${context.endpoint.host} cannot send a browser to ${url.host}, at or near this machine`,
    );
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
    ...scopeParam(scopes),
    // OpenID Connect ignores the scope without a new consent.
    ...(scopes?.includes(OFFLINE) === true ? { prompt: 'consent' } : {}),
    ...(proofKey === undefined ? {} : { dpop_jkt: proofKey }),
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

/** A stolen code is useless without the verifier. The challenge is its S256. */
export async function createCodeChallenge(): Promise<{ verifier: string; challenge: string }> {
  const verifier = randomSecret();
  return { verifier, challenge: await digestText(verifier) };
}

/** 256 random bits as text. */
export const randomSecret = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
