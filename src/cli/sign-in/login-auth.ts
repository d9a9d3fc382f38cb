/** OAuth sign-in of `mooring login`: with a browser on this machine, or with a URL pasted from another one. */
import { manualSignIn, oauth, type SignIn } from '../../auth/index.ts';
import type { ClientAuth } from '../../model/auth.ts';
import { printable } from '../../model/printable.ts';
import { askOnTerminal } from '../ask.ts';
import type { CommandContext } from '../command.ts';
import { canAsk, type Shell } from '../shell.ts';
import { CLIENT_NAME, type CommandCredentials } from '../target/sign-in.ts';
import { openBrowser } from './open-browser.ts';

export interface LoginOptions extends CommandCredentials {
  /** The browser is on another machine (--no-browser). */
  readonly isElsewhere: boolean;
  /** Requested besides those that the server asks for. */
  readonly scopes: readonly string[] | undefined;
  readonly verbose: boolean;
}

/** No listener needed: the browser shows an error page, and the user copies the URL from the address bar. */
const PASTED_REDIRECT = 'http://127.0.0.1:52475/callback';

export function loginAuth(by: CommandContext, { store, isElsewhere, scopes, verbose }: LoginOptions): ClientAuth {
  const { shell, print } = by;
  return oauth({
    clientName: CLIENT_NAME,
    store,
    scopes,
    clock: shell.clock,
    open: (url) => openPage(new URL(url), by),
    ...(isElsewhere ? { signIn: pastedSignIn(by) } : {}),
    ...(canAsk(shell) ? { askForClient: (issuer) => askForClient(issuer, shell, isElsewhere) } : {}),
    ...(verbose ? { trace: ({ step, why }) => print.note(print.style('dim', `${step}: ${why}`, 'stderr')) } : {}),
  });
}

async function openPage(url: URL, by: CommandContext): Promise<void> {
  const isOpen = await openBrowser(url, by.shell);
  by.print.note(
    isOpen ? `Your browser opens ${url.origin}. If it does not, open this URL:` : 'Open this URL in your browser:',
  );
  by.print.note(`  ${url.href}`);
  by.print.note('Waiting until you have signed in there (Ctrl-C to stop).');
  if (!isOpen) by.print.note('Is the browser on another machine? Stop, and use --no-browser.');
}

function pastedSignIn(by: CommandContext): SignIn {
  let isFirst = true;
  return manualSignIn({
    redirectUri: PASTED_REDIRECT,
    ask: ({ url, message }) => {
      if (isFirst) {
        by.print.note('Open this URL in a browser on any machine, and sign in:');
        by.print.note(`  ${url}`);
        by.print.note(
          'The browser ends at a page that it cannot load. Copy the whole URL of that page, and paste it here.',
        );
      } else by.print.note(message);
      isFirst = false;
      return askOnTerminal(by.shell, 'URL: ');
    },
  });
}

/** Asks for a pre-registered client, if the issuer does not support dynamic registration. */
async function askForClient(
  issuer: string,
  shell: Shell,
  isElsewhere: boolean,
): Promise<{ readonly id: string; readonly secret?: string } | undefined> {
  const redirect = isElsewhere ? PASTED_REDIRECT : 'http://127.0.0.1/callback, with any port';
  const about = `${printable(issuer)} needs a client that is registered by hand, with the redirect URI ${redirect}.`;
  const id = await askOnTerminal(shell, `${about}\nClient ID (empty to stop): `);
  if (id === '') return undefined;
  const secret = await askOnTerminal(shell, 'Client secret (empty if it has none): ', { hidden: true });
  return secret === '' ? { id } : { id, secret };
}
