/** Requests tokens from the token endpoint, and validates the response. */
import { printable } from '../../../model/printable.ts';
import { maskSecrets } from '../../../model/secrets.ts';
import type { WebResponse } from '../../web/guarded-web.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { toDocument } from '../context/metadata-document.ts';
import type { TokenSet } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { parseScopes } from '../discovery/scopes.ts';
import { authenticateClient, type ClientIdentity } from '../identity/client-identity.ts';
import type { DpopProofs } from '../identity/dpop.ts';
import { readIdToken } from './id-token.ts';

/** An OAuth error response of the authorization server. */
export interface TokenRefusal {
  /** The error code, such as `invalid_grant`. */
  readonly refused: string;
  readonly why: string;
}

export interface TokenRequest {
  readonly server: AuthorizationServer;
  /** Undefined if the grant needs no client authentication. */
  readonly client: ClientIdentity | undefined;
  /** `grant_type` and its parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Set if tokens must be bound to a key. */
  readonly proofs?: DpopProofs | undefined;
}

const STEP = 'token';
/** How long before its expiry a token is renewed; at most half its lifetime. */
const MARGIN_MS = 30_000;
/** Parameters that must not appear in errors or traces. */
const confidential = ['code', 'code_verifier', 'refresh_token', 'assertion', 'subject_token'] as const;
/** Printable ASCII that fits in a header. */
const sendable = /^[\x21-\x7e]{1,16384}$/;

export async function requestToken(context: AuthContext, request: TokenRequest): Promise<TokenSet | TokenRefusal> {
  const response = await postGrant(context, request);
  const document = toDocument(response.json);
  if (response.status !== 200) return readRefusal(context, response, request);
  const accessToken = document?.text('access_token');
  if (document === undefined || accessToken === undefined || !sendable.test(accessToken))
    throw context.failure(STEP, 'the response has no access_token that can be sent');
  const lifetime = document.number('expires_in');
  const scopes = parseScopes(document.text('scope'));
  const time = lifetime === undefined ? 'an unknown time' : `${lifetime} s`;
  context.traceAccepted(STEP, `for ${time}, ${scopesText(scopes)}`);
  return {
    accessToken,
    scheme: readScheme(context, document.text('token_type'), request.proofs !== undefined),
    ...expiryTimes(lifetime, context.clock.wall()),
    refreshToken: document.text('refresh_token'),
    scopes,
    user: readIdToken(document.text('id_token'), { issuer: request.server.issuer, clientId: request.client?.id }),
  };
}

/** Sends the request, and retries it once if the token endpoint asks for a DPoP nonce. */
export async function postGrant(context: AuthContext, request: TokenRequest): Promise<WebResponse> {
  const response = await post(context, request);
  const nonce = response.header('dpop-nonce');
  const hasNonce = request.proofs?.rememberNonce(new URL(request.server.tokenEndpoint), nonce) === true;
  const wanted = toDocument(response.json)?.text('error') === 'use_dpop_nonce';
  return hasNonce && wanted && response.status !== 200 ? post(context, request) : response;
}

async function post(context: AuthContext, { server, client, params, proofs }: TokenRequest): Promise<WebResponse> {
  const url = server.tokenEndpoint;
  const added = client === undefined ? { headers: {}, params: {} } : await authenticateClient(context, client, server);
  const proof = proofs === undefined ? {} : { dpop: await proofs.proof({ method: 'POST', url: new URL(url) }) };
  const body = new URLSearchParams({ ...params, ...added.params });
  return context.web({ step: STEP, method: 'POST', url, headers: { ...added.headers, ...proof }, body });
}

/** Reads an OAuth error response. Throws if the server is busy, or if the response has no error code, and so does not come from a token endpoint. */
export function readRefusal(
  context: AuthContext,
  { status, json }: WebResponse,
  { params, client }: TokenRequest,
): TokenRefusal {
  const document = toDocument(json);
  const refused = document?.text('error');
  // Says nothing about the grant: as a rejection, it would cost the user their refresh token.
  if (status === 408 || status === 429 || refused === 'temporarily_unavailable')
    throw context.failure(STEP, `the token endpoint answered with status ${status}; try again later`);
  if (status < 400 || status >= 500 || refused === undefined)
    throw context.failure(STEP, `the token endpoint answered with status ${status}, and not as a token endpoint does`);
  const description = document?.text('error_description');
  // Masks secrets of the request that the server repeats in its description, also in header or form encoding.
  const text = description === undefined ? refused : `${refused} (${maskSecrets(description)})`;
  const secrets = [client?.secret, ...confidential.map((name) => params[name])].filter((one) => one !== undefined);
  let masked = text;
  // Masks the longest first, because one secret can contain another.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length))
    if (secret !== '') masked = masked.replaceAll(secret, '…');
  return { refused, why: `the authorization server said ${printable(masked.slice(0, 300))}` };
}

export const isTokenRefusal = <R extends TokenRefusal>(outcome: TokenSet | R): outcome is R => 'refused' in outcome;

function readScheme(context: AuthContext, type: string | undefined, bound: boolean): TokenSet['scheme'] {
  const scheme = type?.toLowerCase();
  if (scheme === (bound ? 'dpop' : 'bearer')) return bound ? 'DPoP' : 'Bearer';
  const received = type === undefined ? 'none' : printable(type.slice(0, 50));
  throw context.failure(STEP, `the response has token_type ${received}, expected ${bound ? 'DPoP' : 'Bearer'}`);
}

function expiryTimes(lifetime: number | undefined, now: number): Pick<TokenSet, 'expiresAt' | 'renewAt'> {
  if (lifetime === undefined || lifetime < 0) return {};
  const ms = Math.min(lifetime, 10 * 365 * 86_400) * 1000;
  return { expiresAt: now + ms, renewAt: now + Math.max(ms - MARGIN_MS, ms / 2) };
}

const scopesText = (scopes: readonly string[] | undefined): string =>
  scopes === undefined ? 'with the requested scopes' : `with the scopes ${printable(scopes.join(' '))}`;
