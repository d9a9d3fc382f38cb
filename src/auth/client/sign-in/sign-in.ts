/** How a user signs in: opens the authorization URL, and receives the URL that the authorization server redirects to. */
export interface SignIn {
  /** Prepares one sign-in. Reuses a redirect URI of `known`, which are already registered, if possible. */
  begin(known?: readonly string[]): Promise<SignInAttempt>;
}

/** One sign-in of one user. */
export interface SignInAttempt {
  /** The redirect URI of this sign-in. */
  readonly redirectUri: string;
  /** Shows the user the authorization URL, which is safe to open in a browser. Resolves with the URL of the redirect. */
  finish(authorizationUrl: string): Promise<string>;
  /** Stops waiting and frees resources. Always called, also after success. */
  close(): Promise<void>;
}
