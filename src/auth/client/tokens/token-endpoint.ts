/** Asks an authorization server for tokens, and looks closely at what comes. */
import { printable } from '../../../model/printable.ts';
import type { WebResponse } from '../../web/web.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { toDocument } from '../context/metadata-document.ts';
import type { TokenSet } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { parseScopes } from '../discovery/scopes.ts';
import { authenticateClient, type ClientIdentity } from '../identity/client-identity.ts';
import type { ProofMaker } from '../identity/proof.ts';

/** The authorization server said no. */
export interface TokenRefusal {
  /** Its code for it, such as `invalid_grant`. */
  readonly refused: string;
  readonly why: string;
}

export interface TokenRequest {
  readonly server: AuthorizationServer;
  /** Undefined where the grant speaks for itself. */
  readonly client: ClientIdentity | undefined;
  /** The grant, with everything that belongs to it. */
  readonly params: Readonly<Record<string, string>>;
  /** Set where tokens are to be bound to a key. */
  readonly proofs?: ProofMaker | undefined;
}

const STEP = 'token';
/** How long before its end a token is renewed; half its life, if that is shorter. */
const MARGIN_MS = 30_000;
/** Parameters that only the token endpoint may see. */
const confidential = ['code', 'code_verifier', 'refresh_token', 'assertion', 'subject_token'] as const;
/** What a header can carry. */
const sendable = /^[\x21-\x7e]{1,16384}$/;

export async function requestToken(context: AuthContext, request: TokenRequest): Promise<TokenSet | TokenRefusal> {
  const answer = await postGrant(context, request);
  const document = toDocument(answer.json);
  if (answer.status !== 200) return readRefusal(context, answer, request);
  const accessToken = document?.text('access_token');
  if (document === undefined || accessToken === undefined || !sendable.test(accessToken))
    throw context.failure(STEP, 'the answer has no access_token that could be sent');
  const lifetime = document.number('expires_in');
  const scopes = parseScopes(document.text('scope'));
  context.traceAccepted(
    STEP,
    `${lifetime === undefined ? 'for an unknown time' : `for ${lifetime} s`}, ${named(scopes)}`,
  );
  return {
    accessToken,
    scheme: readScheme(context, document.text('token_type'), request.proofs !== undefined),
    ...expiryTimes(lifetime, context.clock.wall()),
    refreshToken: document.text('refresh_token'),
    scopes,
  };
}

/** The answer of a token endpoint to a grant, whatever it is; asked again at once if only a nonce was missing. */
export async function postGrant(context: AuthContext, request: TokenRequest): Promise<WebResponse> {
  const answer = await post(context, request);
  const nonce = answer.header('dpop-nonce');
  const heard = request.proofs?.rememberNonce(new URL(request.server.tokenEndpoint), nonce) === true;
  const wanted = toDocument(answer.json)?.text('error') === 'use_dpop_nonce';
  return heard && wanted && answer.status !== 200 ? post(context, request) : answer;
}

async function post(context: AuthContext, { server, client, params, proofs }: TokenRequest): Promise<WebResponse> {
  const url = server.tokenEndpoint;
  const proven = client === undefined ? { headers: {}, params: {} } : await authenticateClient(context, client, server);
  const proof = proofs === undefined ? {} : { dpop: await proofs.proof({ method: 'POST', url: new URL(url) }) };
  return context.web({
    step: STEP,
    method: 'POST',
    url,
    headers: { accept: 'application/json', ...proven.headers, ...proof },
    body: new URLSearchParams({ ...params, ...proven.params }),
  });
}

/** Servers that refuse say why in OAuth's own words; those that do not are broken, or not there. */
export function readRefusal(
  context: AuthContext,
  { status, json }: WebResponse,
  { params, client }: TokenRequest,
): TokenRefusal {
  const document = toDocument(json);
  const refused = document?.text('error');
  if (status < 400 || status >= 500 || refused === undefined)
    throw context.failure(STEP, `the token endpoint answered with status ${status}, and not as a token endpoint does`);
  const description = document?.text('error_description');
  const said = description === undefined ? refused : `${refused} (${description})`;
  // Nobody is to read in an error message what was sent in confidence.
  const secrets = [client?.secret, ...confidential.map((name) => params[name])];
  const masked = secrets.reduce<string>(
    (text, secret = '') => (secret === '' ? text : text.replaceAll(secret, '…')),
    said,
  );
  return { refused, why: `the authorization server said ${printable(masked.slice(0, 300))}` };
}

export const isTokenRefusal = <R extends TokenRefusal>(outcome: TokenSet | R): outcome is R => 'refused' in outcome;

function readScheme(context: AuthContext, type: string | undefined, bound: boolean): TokenSet['scheme'] {
  const scheme = type?.toLowerCase();
  if (scheme === (bound ? 'dpop' : 'bearer')) return bound ? 'DPoP' : 'Bearer';
  const came = type === undefined ? 'none' : printable(type.slice(0, 50));
  throw context.failure(STEP, `the answer has token_type ${came}, where ${bound ? 'DPoP' : 'Bearer'} was expected`);
}

function expiryTimes(lifetime: number | undefined, now: number): Pick<TokenSet, 'expiresAt' | 'renewAt'> {
  if (lifetime === undefined || lifetime < 0) return {};
  const ms = Math.min(lifetime, 10 * 365 * 86_400) * 1000;
  return { expiresAt: now + ms, renewAt: now + Math.max(ms - MARGIN_MS, ms / 2) };
}

const named = (scopes: readonly string[] | undefined): string =>
  scopes === undefined ? 'with the scopes that were asked for' : `with the scopes ${printable(scopes.join(' '))}`;
