/** `manualSignIn`: the user opens the URL in a browser elsewhere, and pastes the URL of the redirect. */
import { McpError } from '../../../errors.ts';
import { checkObject } from '../../../model/check-argument.ts';
import { browserUrl, redirectUrl } from '../context/browser-url.ts';
import type { SignIn } from './sign-in.ts';

/** Shown to a user who signs in elsewhere and pastes the URL of the redirect. */
export interface ManualSignInPrompt {
  /** The URL to open in any browser: `https:`, or `http:` on this machine. */
  readonly url: string;
  /** Instructions for the user; after a wrong input, also what was wrong. */
  readonly message: string;
  /** Aborted when the sign-in is cancelled. */
  readonly signal: AbortSignal;
}

/** Settings of `manualSignIn`. */
export interface ManualSignInOptions {
  /** Shows the prompt and resolves with the text that the user pasted. */
  readonly ask: (prompt: ManualSignInPrompt) => Promise<string>;
  /** The redirect URI as registered. No server needs to listen there. */
  readonly redirectUri: string;
}

/** How often the user can try. */
const MAX_TRIES = 3;

/** Signs in with a browser on another machine: the user pastes the URL of the redirect. */
export function manualSignIn(options: ManualSignInOptions): SignIn {
  checkObject(options, 'manualSignIn(options)', 'an object with ask and redirectUri');
  const { ask, redirectUri } = options;
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
    const pasted = URL.canParse(text) ? new URL(text) : undefined;
    if (pasted?.origin === expected.origin && pasted.pathname === expected.pathname) return pasted.href;
    why =
      pasted === undefined
        ? 'That is not an address. The code alone is not enough: the rest of the address says where it comes from.'
        : `That is another address. The right one begins with ${expected.origin}${expected.pathname}`;
    message = `${why} Paste the whole address that you were sent to.`;
  }
  throw new McpError('MCP_AUTH_FAILED', { url: url.origin, step: 'the pasted address', why });
}
