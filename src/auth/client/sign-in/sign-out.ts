/** What is stored of a sign-in, and its end: tokens are revoked at their issuer, and removed from the store. */
import { McpError } from '../../../errors.ts';
import { checkObject, checkUrl } from '../../../model/check-argument.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { type HeldTokens, type SignedInUser, TokenStore } from '../credentials/token-store.ts';
import { issuingServer } from '../discovery/authorization-server.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import { type ClientAuthOptions, createAuthContext, type RegisteredClient, toIdentity } from '../tokens/client-auth.ts';
import { revokeTokens } from '../tokens/revocation.ts';

/** A sign-in as the store has it, without its tokens. */
export interface StoredSignIn {
  /** The authorization server that issued the tokens. */
  readonly issuer: string;
  /** The resource that they are for. */
  readonly resource: string;
  readonly clientId?: string | undefined;
  /** Who signed in, if the authorization server issued an ID token. */
  readonly user?: SignedInUser | undefined;
  /** The granted scopes; the requested ones if the server named no others. */
  readonly scopes: readonly string[];
  /** When the access token expires, in milliseconds since 1970; undefined if the server did not say. */
  readonly expiresAt?: number | undefined;
  /** Whether there is a refresh token: then it does not end when the access token expires. */
  readonly isRenewable: boolean;
}

/** Settings of `signOut`. */
export interface SignOutOptions extends Omit<ClientAuthOptions, 'dpop'> {
  /** The store that `oauth` was given. */
  readonly store: CredentialStore;
  /** The client that `oauth` was given, if it was registered already. */
  readonly client?: RegisteredClient | undefined;
}

/** How a sign-out ended. The tokens are no longer in the store in any case. */
export interface SignOutResult {
  readonly issuer: string;
  /**
   * `partial`: it revoked the refresh token, and cannot revoke the access token, which stays valid until it expires. `unsupported`: the
   * authorization server has no revocation endpoint.
   */
  readonly revocation: 'revoked' | 'partial' | 'unsupported' | 'failed';
  /** Why the tokens were not revoked, if it failed. */
  readonly why?: string | undefined;
}

/** What the store has for an endpoint; undefined if no user is signed in. Makes no request. */
export async function storedSignIn(endpoint: string | URL, store: CredentialStore): Promise<StoredSignIn | undefined> {
  checkUrl(endpoint, 'storedSignIn(endpoint, store)', 'the URL of a server');
  checkObject(store, 'storedSignIn(endpoint, store)', 'a store, such as fileCredentials(path, options)');
  const held = await new TokenStore(store).tokens(new URL(endpoint));
  if (held === undefined) return undefined;
  const { issuer, resource, clientId, user, expiresAt, requested, scopes = requested, refreshToken } = held;
  return { issuer, resource, clientId, user, scopes, expiresAt, isRenewable: refreshToken !== undefined };
}

/** Revokes the tokens of an endpoint at the authorization server that issued them, and removes them from the store. Undefined if there are none. */
export async function signOut(endpoint: string | URL, options: SignOutOptions): Promise<SignOutResult | undefined> {
  checkUrl(endpoint, 'signOut(endpoint, options)', 'the URL of a server');
  checkObject(options, 'signOut(endpoint, options)', 'an object with store');
  const url = new URL(endpoint);
  const tokenStore = new TokenStore(options.store);
  const tokens = await tokenStore.tokens(url);
  if (tokens === undefined) return undefined;
  const { issuer } = tokens;
  try {
    const context = createAuthContext(url, options);
    const server = await issuingServer(context, issuer);
    const client = await clientOf(tokens, tokenStore, options.client);
    return { issuer, revocation: await revokeTokens(context, { server, client, tokens }) };
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { issuer, revocation: 'failed', why: 'why' in error.details ? String(error.details['why']) : error.message };
  } finally {
    await tokenStore.removeTokens(url);
  }
}

/** A client secret goes to the authorization server that knows it, and to no other. */
async function clientOf(
  { clientId = '', issuer }: HeldTokens,
  tokenStore: TokenStore,
  given: RegisteredClient | undefined,
): Promise<ClientIdentity> {
  // An authorization server can register a client under the id that another server knows, so that the id alone says nothing.
  if (given?.id === clientId && (given.issuer ?? (await tokenStore.issuerOf(clientId))) === issuer)
    return toIdentity(given);
  const stored = (await tokenStore.registrations(issuer)).find(({ id }) => id === clientId);
  return stored ?? { id: clientId };
}
