/** `oauth()`: client authorization for a user who signs in (authorization code grant). */
import type { ClientAuth, HttpAuth } from '../../../model/auth.ts';
import { type CredentialStore, memoryCredentials } from '../credentials/credential-store.ts';
import { TokenStore } from '../credentials/token-store.ts';
import { checkMetadataUrl, Registrar } from '../registration/registrar.ts';
import {
  type ClientAuthOptions,
  canGetToken,
  checkEndpoint,
  clientAuth,
  createAuthContext,
  createProofs,
  type RegisteredClient,
  toIdentity,
} from '../tokens/client-auth.ts';
import { endpointAuth } from '../tokens/endpoint-auth.ts';
import { Tokens } from '../tokens/tokens.ts';
import { browserSignIn } from './browser-sign-in.ts';
import type { SignIn } from './sign-in.ts';
import { signInGrant } from './sign-in-grant.ts';

/** Settings of `oauth`. */
export interface OAuthOptions extends ClientAuthOptions {
  /** The client, if it is registered already. */
  readonly client?: RegisteredClient | undefined;
  /** The https URL of the client's metadata document, used as its id with authorization servers that accept one. */
  readonly clientMetadataUrl?: string | undefined;
  /** The name that the consent page shows, if the client registers itself. Default: `MCP client`. */
  readonly clientName?: string | undefined;
  /** Scopes to request from the start, in addition to those that the server asks for. */
  readonly scopes?: readonly string[] | undefined;
  /** How the user signs in. Default: `browserSignIn()`. */
  readonly signIn?: SignIn | undefined;
  /** Opens a URL in the user's browser, for `browserSignIn()`. Without it, the URL is printed to standard error. */
  readonly open?: ((url: string) => unknown) | undefined;
  /** The last resort: asks the user for a client, if the authorization server has no registration. */
  readonly askForClient?:
    | ((issuer: string) => Promise<Pick<RegisteredClient, 'id' | 'secret'> | undefined>)
    | undefined;
  /** Where credentials are stored. Use one store for each user. Default: `memoryCredentials()`. */
  readonly store?: CredentialStore | undefined;
}

/** Lets the user sign in when a server asks for it: `connect(url, { auth: oauth() })`. */
export function oauth(options: OAuthOptions = {}): ClientAuth {
  const { client: given, scopes, open, clock, askForClient, clientName = 'MCP client' } = options;
  const client = given && toIdentity(given);
  const metadataUrl = options.clientMetadataUrl === undefined ? undefined : checkMetadataUrl(options.clientMetadataUrl);
  const signIn = options.signIn ?? browserSignIn({ open, clock });
  const tokenStore = new TokenStore(options.store ?? memoryCredentials());
  const auth = clientAuth((endpoint) => {
    const context = createAuthContext(endpoint, options);
    const proofs = createProofs(options);
    const bound = proofs !== undefined;
    const sources = { client, metadataUrl, name: clientName, bound, ask: askForClient };
    const registrar = new Registrar(context, sources, tokenStore);
    const grant = signInGrant({ context, registrar, signIn, proofs, issuer: client?.issuer });
    // Does not store DPoP tokens: they are useless without their key, which is in memory only.
    const tokens = new Tokens({ context, grant, tokenStore: proofs === undefined ? tokenStore : undefined, scopes });
    return endpointAuth(endpoint, tokens, proofs);
  });
  return (endpoint) => (canGetToken(endpoint) ? auth(endpoint) : withoutToken(endpoint));
}

/** For an `http:` endpoint, to which tokens are never sent. Such a server often needs none, so this throws only on a 401. */
const withoutToken = (endpoint: URL): HttpAuth => ({
  headers: () => undefined,
  onChallenge({ status }) {
    if (status === 401) checkEndpoint(endpoint);
    return false;
  },
});
