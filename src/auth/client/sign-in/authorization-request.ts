/** Builds the authorization URL that the user opens, with PKCE (RFC 7636). */
import { toBase64Url } from '../../../model/base64.ts';
import { digestText } from '../../../model/canonical.ts';
import { hostScope } from '../../web/addresses.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { browserUrl } from '../context/browser-url.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { OFFLINE_ACCESS, scopeParam } from '../discovery/scopes.ts';

const STEP = 'authorization request';

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  readonly state: string;
  readonly challenge: string;
  /** The thumbprint of the DPoP key that the token must be bound to. */
  readonly proofKey?: string | undefined;
}

/** Returns the authorization endpoint. Throws for an unsafe server, before the client registers and before a browser opens. */
export function authorizationEndpoint(context: AuthContext, server: AuthorizationServer): URL {
  const { authorizationEndpoint: text, challengeMethods, lacksMetadata } = server;
  if (text === undefined) throw context.failure(STEP, 'the authorization server has no authorization_endpoint');
  // A server without metadata cannot announce PKCE. It still gets the code challenge.
  if (!lacksMetadata && challengeMethods?.includes('S256') !== true) {
    const has = challengeMethods === undefined ? 'it does not announce PKCE' : 'S256 is not among its methods';
    const why = `codes are not safe with this authorization server: ${has} (code_challenge_methods_supported)`;
    throw context.failure(STEP, why);
  }
  const url = browserUrl(text);
  // A remote server must not send the browser to a local program, over https either. `reserved` includes 0.0.0.0, which reaches this machine too.
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
    // OpenID Connect ignores `offline_access` without `prompt=consent`.
    ...(scopes?.includes(OFFLINE_ACCESS) === true ? { prompt: 'consent' } : {}),
    ...(proofKey === undefined ? {} : { dpop_jkt: proofKey }),
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

/** PKCE: a stolen code is useless without the verifier, and the URL contains only its SHA-256 hash. */
export async function createCodeChallenge(): Promise<{ verifier: string; challenge: string }> {
  const verifier = randomSecret();
  return { verifier, challenge: await digestText(verifier) };
}

/** 256 random bits as text. */
export const randomSecret = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
