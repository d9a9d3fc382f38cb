/** The door `mooring/auth`: getting tokens, and judging them. */
export type { ClientAuthOptions, RegisteredClient } from './client/client-auth.ts';
export type { PrivateKey } from './client/client-key.ts';
export type { CredentialStore } from './client/credential-store.ts';
export { type FileCredentialsOptions, fileCredentials } from './client/file-credentials.ts';
export type { CredentialKey } from './client/file-credentials-key.ts';
export { type LoopbackOptions, loopback } from './client/loopback.ts';
export {
  type ClientCredentialsOptions,
  clientCredentials,
  type EnterpriseManagedOptions,
  enterpriseManaged,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from './client/machine-auth.ts';
export { memoryCredentials } from './client/memory-credentials.ts';
export { type OAuthOptions, oauth } from './client/oauth.ts';
export { type PasteOptions, type PastePrompt, paste } from './client/paste.ts';
export type { SignIn, SignInAttempt } from './client/sign-in.ts';
export { type BearerOptions, bearer } from './server/bearer.ts';
export type { BearerRejection } from './server/challenges.ts';
export { type IntrospectionOptions, introspection } from './server/introspection.ts';
export { type JwtOptions, jwt } from './server/jwt.ts';
export {
  type ProtectedResource,
  type ProtectedResourceOptions,
  protectedResource,
} from './server/protected-resource.ts';
export type { Claims, TokenVerifier } from './server/verifier.ts';
export type { Trace, TraceStep } from './trace.ts';
