/** `storedSignIn` shows a stored sign-in; `signOut` revokes its tokens at their issuer, and removes them from the store. */
import { McpError } from '../../../errors.ts';
import { checkObject, checkUrl } from '../../../model/check-argument.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { type HeldTokens, type SignedInUser, TokenStore } from '../credentials/token-store.ts';
import { issuingServer } from '../discovery/authorization-server.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import { type ClientAuthOptions, createAuthContext, type RegisteredClient, toIdentity } from '../tokens/client-auth.ts';
import { revokeTokens } from '../tokens/revocation.ts';

/** A stored sign-in, without its tokens. */
export interface StoredSignIn {
  /** The authorization server that issued the tokens. */
  readonly issuer: string;
  /** The resource that the tokens are for. */
  readonly resource: string;
  readonly clientId?: string | undefined;
  /** The user, if the authorization server issued an ID token. */
  readonly user?: SignedInUser | undefined;
  /** The granted scopes; those that were requested if the server did not list them. */
  readonly scopes: readonly string[];
  /** When the access token expires, in milliseconds since 1970; undefined if the server did not say. */
  readonly expiresAt?: number | undefined;
  /** Whether a refresh token is stored, so that the sign-in outlives the access token. */
  readonly isRenewable: boolean;
}

/** Settings of `signOut`. */
export interface SignOutOptions extends Omit<ClientAuthOptions, 'dpop'> {
  /** The store that was passed to `oauth`. */
  readonly store: CredentialStore;
  /** The preregistered client that was passed to `oauth`, if any. */
  readonly client?: RegisteredClient | undefined;
}

/** The result of a sign-out. In every case, the tokens were removed from the store. */
export interface SignOutResult {
  readonly issuer: string;
  /**
   * `partial`: the authorization server revoked the refresh token, but cannot revoke the access token, which stays valid until it
   * expires. `unsupported`: the authorization server has no revocation endpoint.
   */
  readonly revocation: 'revoked' | 'partial' | 'unsupported' | 'failed';
  /** Why the revocation failed, if it did. */
  readonly why?: string | undefined;
}

/** Reads the sign-in for an endpoint from the store, without any request. Undefined if no user is signed in. */
export async function storedSignIn(endpoint: string | URL, store: CredentialStore): Promise<StoredSignIn | undefined> {
  checkUrl(endpoint, 'storedSignIn(endpoint, store)', 'the URL of a server');
  checkObject(store, 'storedSignIn(endpoint, store)', 'a store, such as fileCredentials(path, options)');
  const held = await new TokenStore(store).tokens(new URL(endpoint));
  if (held === undefined) return undefined;
  const { issuer, resource, clientId, user, expiresAt, requested, scopes = requested, refreshToken } = held;
  return { issuer, resource, clientId, user, scopes, expiresAt, isRenewable: refreshToken !== undefined };
}

/** Revokes the tokens of an endpoint at the authorization server that issued them, and removes them from the store. Undefined if no tokens are stored. */
export async function signOut(endpoint: string | URL, options: SignOutOptions): Promise<SignOutResult | undefined> {
  checkUrl(endpoint, 'signOut(endpoint, options)', 'the URL of a server');
  checkObject(options, 'signOut(endpoint, options)', 'an object with store');
  const url = new URL(endpoint);
  const tokenStore = new TokenStore(options.store);
  // Locked, so that a refresh in the same instant cannot store tokens again.
  return tokenStore.whileLocked(url, () => signOutNow(url, tokenStore, options));
}

async function signOutNow(
  url: URL,
  tokenStore: TokenStore,
  options: SignOutOptions,
): Promise<SignOutResult | undefined> {
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

/** The client that the tokens were issued to. Has a secret only if that belongs to their issuer, so that it is sent to no other server. */
async function clientOf(
  { clientId = '', issuer }: HeldTokens,
  tokenStore: TokenStore,
  given: RegisteredClient | undefined,
): Promise<ClientIdentity> {
  // Compares the issuer too: a malicious authorization server can register a client under an id that another server uses.
  if (given?.id === clientId && (given.issuer ?? (await tokenStore.issuerOf(clientId))) === issuer)
    return toIdentity(given);
  const stored = (await tokenStore.registrations(issuer)).find(({ id }) => id === clientId);
  return stored ?? { id: clientId };
}
