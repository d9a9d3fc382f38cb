/** Token verification for their resource servers, which their SDKs leave to the application. */
import { createRemoteJWKSet, jwtVerify } from 'jose';

interface Verified {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly expiresAt: number;
  readonly resource: URL;
  readonly extra: Record<string, unknown>;
}

/** `refused` creates the SDK's error for an invalid token. */
export function tokensOf(issuer: string, refused: (why: string) => Error): (token: string) => Promise<Verified> {
  const keys = createRemoteJWKSet(new URL('/jwks', issuer));
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, { issuer }).catch(() => Promise.reject(refused('not signed')));
    const { client_id: clientId, scope = '', exp = 0, aud, sub } = payload;
    const scopes = String(scope).split(' ');
    return {
      token,
      clientId: String(clientId),
      scopes,
      expiresAt: exp,
      resource: new URL(String(aud)),
      extra: { sub },
    };
  };
}

interface Metadata extends Record<string, unknown> {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  response_types_supported: string[];
}

export async function metadataOf(issuer: string): Promise<Metadata> {
  const response = await fetch(new URL('/.well-known/openid-configuration', issuer));
  return (await response.json()) as Metadata; // a certified server's document has these
}
