/** Revokes tokens at the authorization server that issued them (RFC 7009): the refresh token, then the access token. */
import type { AuthContext } from '../context/auth-context.ts';
import { toDocument } from '../context/metadata-document.ts';
import type { HeldTokens } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import { authenticateClient, type ClientIdentity } from '../identity/client-identity.ts';

const STEP = 'token revocation';

export interface RevocationRequest {
  readonly server: AuthorizationServer;
  /** The client that the tokens were issued to. */
  readonly client: ClientIdentity;
  readonly tokens: HeldTokens;
}

/**
 * `unsupported`: the authorization server has no revocation endpoint. `partial`: the server revoked the refresh token, but cannot revoke
 * access tokens, which is usual for signed ones.
 */
export type Revocation = 'revoked' | 'partial' | 'unsupported';

/** Throws if the authorization server rejects one of the tokens. */
export async function revokeTokens(context: AuthContext, request: RevocationRequest): Promise<Revocation> {
  const { server, tokens } = request;
  if (server.revocationEndpoint === undefined) return 'unsupported';
  const { refreshToken, accessToken } = tokens;
  // Revokes both: most servers revoke the access token along with its refresh token, but not all.
  const renewal = refreshToken === undefined ? [] : await revoke(context, request, ['refresh_token', refreshToken]);
  const access = await revoke(context, request, ['access_token', accessToken]);
  const isPartial = refreshToken !== undefined && renewal.length === 0 && access[0]?.code === 'unsupported_token_type';
  const faults = isPartial ? [] : [...renewal, ...access].map(({ text }) => text);
  if (faults.length > 0) throw context.failure(STEP, faults.join('; '));
  context.traceAccepted(STEP, `at ${server.issuer}${isPartial ? ', without the access token' : ''}`);
  return isPartial ? 'partial' : 'revoked';
}

/** Revokes one token. Returns an empty list on success, or one reason for the failure. */
async function revoke(
  context: AuthContext,
  { server, client }: RevocationRequest,
  [type, token]: readonly [type: string, token: string],
): Promise<readonly { readonly code: string; readonly text: string }[]> {
  const { revocationEndpoint: url = '' } = server;
  const added = await authenticateClient(context, client, server);
  const body = new URLSearchParams({ token, token_type_hint: type, ...added.params });
  const { status, json } = await context.web({ step: STEP, method: 'POST', url, headers: added.headers, body });
  if (status === 200) return [];
  const error = toDocument(json)?.text('error') ?? '';
  // Quotes only what looks like an OAuth error code: a server can repeat the token in `error`.
  const code = /^[a-z_]{1,40}$/.test(error) && !token.includes(error) ? error : 'no error code';
  return [{ code, text: `the ${type.replace('_', ' ')} was rejected with status ${status} (${code})` }];
}
