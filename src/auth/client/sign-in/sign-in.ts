/** How a user signs in: the application opens a URL, and gets back the URL that the authorization server redirects to. */
export interface SignIn {
  /** Prepares one sign-in. It reuses a redirect URI of `known`, which are registered already, if it can. */
  begin(known?: readonly string[]): Promise<SignInAttempt>;
}

/** One sign-in of one user. */
export interface SignInAttempt {
  /** Where the authorization server redirects to. */
  readonly redirectUri: string;
  /** Shows the user this URL, which is safe to open in a browser, and resolves with the URL of the redirect. */
  finish(authorizationUrl: string): Promise<string>;
  /** Stops waiting. Called in every case. */
  close(): Promise<void>;
}
