/** `oauth()`: everything between a refusal and a token, where a person signs in. */
import type { ClientAuth } from '../../../model/auth.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { memoryCredentials } from '../credentials/memory-credentials.ts';
import { TokenStore } from '../credentials/token-store.ts';
import { IssuerBinding } from '../registration/issuer-binding.ts';
import { checkMetadataUrl, Registrar } from '../registration/registrar.ts';
import type { ClientAuthOptions, RegisteredClient } from '../tokens/client-auth.ts';
import { clientAuth, createAuthContext, createProofs, toIdentity } from '../tokens/client-auth.ts';
import { EndpointAuth } from '../tokens/endpoint-auth.ts';
import { Tokens } from '../tokens/tokens.ts';
import { browserSignIn } from './browser-sign-in.ts';
import type { SignIn } from './sign-in.ts';
import { SignInGrant } from './sign-in-grant.ts';

/** Settings of `oauth`. */
export interface OAuthOptions extends ClientAuthOptions {
  /** The client, where it was registered beforehand. */
  readonly client?: RegisteredClient | undefined;
  /** The https URL of a document about the client, used as its id by authorization servers that take one. */
  readonly clientMetadataUrl?: string | undefined;
  /** What a person is told who wants their consent, where the client registers itself. */
  readonly clientName?: string | undefined;
  /** Asked for from the start, besides what the server asks for. */
  readonly scopes?: readonly string[] | undefined;
  /** How a person signs in; `browserSignIn()` unless told. */
  readonly signIn?: SignIn | undefined;
  /** Shows an address in the person's browser, for `browserSignIn()`. Without it, the address is printed to standard error. */
  readonly open?: ((url: string) => unknown) | undefined;
  /** The last resort: who the client is to an authorization server that registers nobody. */
  readonly askForClient?:
    | ((issuer: string) => Promise<Pick<RegisteredClient, 'id' | 'secret'> | undefined>)
    | undefined;
  /** Where credentials are kept; in memory unless told. One store holds the credentials of one user. */
  readonly store?: CredentialStore | undefined;
}

/** Lets a person sign in where a server asks for it: `connect(url, { auth: oauth() })`. */
export function oauth(options: OAuthOptions = {}): ClientAuth {
  const { client: given, scopes, open, clock, askForClient, clientName = 'MCP client' } = options;
  const client = given === undefined ? undefined : { ...toIdentity(given), issuer: given.issuer };
  const metadataUrl = options.clientMetadataUrl === undefined ? undefined : checkMetadataUrl(options.clientMetadataUrl);
  const signIn = options.signIn ?? browserSignIn({ open, clock });
  const tokenStore = new TokenStore(options.store ?? memoryCredentials());
  const binding = new IssuerBinding(tokenStore);
  return clientAuth((endpoint) => {
    const context = createAuthContext(endpoint, options);
    const proofs = createProofs(options);
    const bound = proofs !== undefined;
    const sources = { client, binding, metadataUrl, name: clientName, bound, ask: askForClient };
    const registrar = new Registrar(context, sources, tokenStore);
    const grant = new SignInGrant({ context, registrar, signIn, proofs, issuer: client?.issuer });
    // Tokens that are bound to a key die with it, and are kept nowhere else.
    const tokens = new Tokens({ context, grant, tokenStore: proofs === undefined ? tokenStore : undefined, scopes });
    return new EndpointAuth(endpoint, tokens, proofs);
  });
}
