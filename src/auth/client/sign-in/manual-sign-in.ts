/** Signing in where there is no browser: the person opens the address elsewhere, and brings back where it led them. */
import { McpError } from '../../../errors.ts';
import { browserUrl, redirectUrl } from '../context/browser-url.ts';
import type { SignIn } from './sign-in.ts';

/** What to show a person who signs in elsewhere and pastes the address they end up at. */
export interface ManualSignInPrompt {
  /** The address to open, in a browser anywhere; it is `https:`, or `http:` on this machine. */
  readonly url: string;
  /** What to tell the person: first what to do, then what was wrong with what they gave. */
  readonly message: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Settings of `manualSignIn`. */
export interface ManualSignInOptions {
  /** Shows the prompt and resolves with what the person pasted. */
  readonly ask: (prompt: ManualSignInPrompt) => Promise<string>;
  /** Where the authorization server sends them, as it knows it; that nothing answers there does no harm. */
  readonly redirectUri: string;
}

/** Times that a person is asked. */
const MAX_TRIES = 3;

/** Signs in with a browser on another machine: the person pastes the address that they were sent to. */
export function manualSignIn({ ask, redirectUri }: ManualSignInOptions): SignIn {
  const expected = redirectUrl(redirectUri, 'The redirectUri of manualSignIn');
  return {
    async begin() {
      const control = new AbortController();
      const { signal } = control;
      return {
        redirectUri,
        finish: (authorizationUrl) =>
          askForRedirect(browserUrl(authorizationUrl), expected, (prompt) => ask({ ...prompt, signal })),
        close: async () => control.abort(),
      };
    },
  };
}

type AskFunction = (prompt: Omit<ManualSignInPrompt, 'signal'>) => Promise<string>;

async function askForRedirect(url: URL, expected: URL, ask: AskFunction): Promise<string> {
  let message = 'Open this address and sign in. Then copy the whole address that you are sent to, and paste it here.';
  let why = '';
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const text = (await ask({ url: url.href, message })).trim();
    const came = URL.canParse(text) ? new URL(text) : undefined;
    if (came?.origin === expected.origin && came.pathname === expected.pathname) return came.href;
    why =
      came === undefined
        ? 'That is no address. The code alone does not do: the rest of the address says whom it is from and whom it is for.'
        : `That is another address. The right one begins with ${expected.origin}${expected.pathname}`;
    message = `${why} Paste the whole address that you were sent to.`;
  }
  throw new McpError('MCP_AUTH_FAILED', { url: url.origin, step: 'the pasted address', why });
}
