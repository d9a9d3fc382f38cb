/** `browserSignIn`: signs in with a browser on this machine, and receives the redirect on a local port (RFC 8252). Node only. */
import { badDefinition } from '../../../errors.ts';
import { type Clock, systemClock } from '../../../peer/clock.ts';
import { isLoopbackUrl, redirectUrl } from '../context/browser-url.ts';
import type { SignIn } from './sign-in.ts';

/** Settings of `browserSignIn`. */
export interface BrowserSignInOptions {
  /**
   * Opens the URL in the user's browser. The URL is `https:`, or `http:` on this machine. Pass it to a program as an argument, never to
   * a shell. Without `open`, the URL is printed to standard error.
   */
  readonly open?: ((url: string) => unknown) | undefined;
  /** The redirect URI as registered. Without a port, any free port is used. Default: `http://127.0.0.1/callback`. */
  readonly redirectUri?: string | undefined;
  /** How long to wait for the user to sign in. Default: 5 minutes. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const TIMEOUT_MS = 300_000;

/** Signs in with a browser on this machine. Listens on a local port for the redirect. */
export function browserSignIn(options: BrowserSignInOptions = {}): SignIn {
  const { open, redirectUri = 'http://127.0.0.1/callback', timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  const what = 'The redirectUri of browserSignIn';
  const address = redirectUrl(redirectUri, what);
  if (!isLoopbackUrl(address) || address.search !== '')
    throw badDefinition(what, 'it must be an http: URL on this machine, without a query');
  return {
    async begin(known = []) {
      if (typeof process === 'undefined')
        throw badDefinition('browserSignIn', 'a page cannot listen on a port; pass a "signIn" of your own');
      const { listenForRedirect } = await import('./browser-sign-in-node.ts');
      return listenForRedirect({ address, known, open, timeoutMs, clock });
    },
  };
}
