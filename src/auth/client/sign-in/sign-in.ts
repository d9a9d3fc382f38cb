/** How a person is sent to an authorization server, and how the answer comes back. */
export interface SignIn {
  /**
   * Prepares for one person to sign in. Authorization servers compare the address to come back to with those they know: one of
   * `known` is taken again where that can be.
   */
  begin(known?: readonly string[]): Promise<SignInAttempt>;
}

/** One person, signing in once. */
export interface SignInAttempt {
  /** Where the authorization server sends the person back to. */
  readonly redirectUri: string;
  /** Shows the person this address, which was checked to be one for a browser, and resolves with the URL they came back with. */
  finish(authorizationUrl: string): Promise<string>;
  /** Whatever happened: stops waiting. */
  close(): Promise<void>;
}
