/** The door `mooring/auth`: getting tokens, and judging them. */
export type { CredentialStore } from './client/credential-store.ts';
export { type FileCredentialsOptions, fileCredentials } from './client/file-credentials.ts';
export type { CredentialKey } from './client/file-credentials-key.ts';
export { type LoopbackOptions, loopback } from './client/loopback.ts';
export { memoryCredentials } from './client/memory-credentials.ts';
export { type PasteOptions, type PastePrompt, paste } from './client/paste.ts';
export type { SignIn, SignInAttempt } from './client/sign-in.ts';
export type { Trace, TraceStep } from './trace.ts';
