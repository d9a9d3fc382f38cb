/** The door `mooring/auth`: getting tokens, and judging them. */
export type { CredentialStore } from './client/credential-store.ts';
export type { SignIn, SignInAttempt } from './client/sign-in.ts';
export type { Trace, TraceStep } from './trace.ts';
