/** The entry point `mooring/auth`: OAuth for clients, which get tokens, and for servers, which verify them. */

export { type CredentialStore, memoryCredentials } from './client/credentials/credential-store.ts';
export {
  type CredentialKey,
  type FileCredentialsOptions,
  fileCredentials,
} from './client/credentials/file-credentials.ts';
export type { SignedInUser } from './client/credentials/token-store.ts';
export type { PrivateKey } from './client/identity/client-key.ts';
export { type EnterpriseManagedOptions, enterpriseManaged } from './client/machine/enterprise-managed.ts';
export {
  type ClientCredentialsOptions,
  clientCredentials,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from './client/machine/machine-auth.ts';
export { type TokenExchangeOptions, tokenExchange } from './client/machine/token-exchange.ts';
export { type BrowserSignInOptions, browserSignIn } from './client/sign-in/browser-sign-in.ts';
export { type ManualSignInOptions, type ManualSignInPrompt, manualSignIn } from './client/sign-in/manual-sign-in.ts';
export { type OAuthOptions, oauth } from './client/sign-in/oauth.ts';
export type { SignIn, SignInAttempt } from './client/sign-in/sign-in.ts';
export {
  type SignOutOptions,
  type SignOutResult,
  type StoredSignIn,
  signOut,
  storedSignIn,
} from './client/sign-in/sign-out.ts';
export type { ClientAuthOptions, RegisteredClient } from './client/tokens/client-auth.ts';
export { type BearerOptions, bearer } from './server/bearer.ts';
export { type IntrospectionOptions, introspection } from './server/introspection.ts';
export { type JwtOptions, jwt } from './server/jwt.ts';
export {
  type ProtectedResource,
  type ProtectedResourceOptions,
  protectedResource,
} from './server/protected-resource.ts';
export type { BearerRejection } from './server/rejection.ts';
export type { Claims, TokenVerifier } from './server/token-verifier.ts';
export type { ProofLog } from './server/used-proofs.ts';
export type { Trace, TraceStep } from './web/trace.ts';
