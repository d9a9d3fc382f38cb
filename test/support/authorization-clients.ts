/** Authenticates clients at the token endpoint, by any method, and verifies DPoP proofs. */
import { calculateJwkThumbprint, EmbeddedJWK, importJWK, type JWK, jwtVerify } from 'jose';

export interface OAuthClient {
  readonly id: string;
  readonly secret?: string;
  /** For `private_key_jwt`. */
  readonly jwk?: JWK;
  readonly redirectUris?: readonly string[];
}

/** An OAuth error response. */
export class OAuthFault extends Error {
  readonly error: string;
  readonly status: number;

  constructor(error: string, message: string, status = 400) {
    super(message);
    this.error = error;
    this.status = status;
  }
}

interface Shown {
  readonly params: URLSearchParams;
  readonly headers: Headers;
}
interface Known {
  readonly clients: ReadonlyMap<string, OAuthClient>;
  /** Accepted audiences of an assertion. */
  readonly audiences: readonly string[];
}

/** The authenticated client, or the error. */
export async function authenticated({ params, headers }: Shown, { clients, audiences }: Known): Promise<OAuthClient> {
  const basic = /^Basic (\S+)$/.exec(headers.get('authorization') ?? '')?.[1];
  const [basicId, basicSecret] = basic === undefined ? [] : atob(basic).split(':').map(formDecoded);
  const assertion = params.get('client_assertion');
  const asserted = assertion === null ? undefined : await byAssertion(assertion, clients, audiences);
  const client = asserted ?? clients.get(basicId ?? params.get('client_id') ?? '');
  const secret = basicSecret ?? params.get('client_secret') ?? undefined;
  const proven = asserted !== undefined || (client?.jwk === undefined && client?.secret === secret);
  if (client === undefined || !proven) throw new OAuthFault('invalid_client', 'who is this?', 401);
  return client;
}

async function byAssertion(
  assertion: string,
  clients: ReadonlyMap<string, OAuthClient>,
  audiences: readonly string[],
): Promise<OAuthClient | undefined> {
  const id = String(JSON.parse(atob((assertion.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/')))['iss']);
  const client = clients.get(id);
  if (client?.jwk === undefined) return undefined;
  const checks = { issuer: id, subject: id, audience: [...audiences], requiredClaims: ['exp', 'jti'] };
  const valid = await jwtVerify(assertion, await importJWK(client.jwk), checks).catch(() => undefined);
  return valid === undefined ? undefined : client;
}

const formDecoded = (text: string): string => decodeURIComponent(text.replace(/\+/g, ' '));

/** The thumbprint of the proof's key; undefined without a proof. */
export async function proofOf(
  headers: Headers,
  { url, nonce }: { url: string; nonce: string | undefined },
): Promise<string | undefined> {
  const proof = headers.get('dpop');
  if (proof === null) return undefined;
  const valid = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', algorithms: ['ES256'] }).catch(() => undefined);
  if (valid?.payload['htm'] !== 'POST' || valid.payload['htu'] !== url || valid.payload.jti === undefined)
    throw new OAuthFault('invalid_dpop_proof', 'that proves nothing');
  if (nonce !== undefined && valid.payload['nonce'] !== nonce) throw new OAuthFault('use_dpop_nonce', 'use this nonce');
  return calculateJwkThumbprint(valid.protectedHeader.jwk ?? {});
}
