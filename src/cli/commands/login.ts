/** `mooring login`: signs in to a server, and stores the sign-in for every other command. */
import { storedSignIn } from '../../auth/index.ts';
import { displayUrl } from '../../model/printable.ts';
import { type CommandContext, command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { endpointIn, endpointOptions } from '../sign-in/endpoint.ts';
import { loginAuth } from '../sign-in/login-auth.ts';
import { reportSignIn } from '../sign-in/sign-in-report.ts';
import { approveTarget, openApproved } from '../target/connect-target.ts';
import { targetOptions } from '../target/options.ts';
import { commandCredentials } from '../target/sign-in.ts';

const { header, timeout, yes, policy, audit, verbose } = targetOptions;

export const login = command({
  usage: ['<url | name> [options]'],
  about: `Sign in to a server with your browser.

The sign-in is stored in an encrypted file, and every command uses it for this server. Tokens are renewed when they expire.

Over ssh, use --no-browser: open the URL on any machine, and paste the URL that the browser ends at.`,
  exits: [
    [exitCodes.done, 'you are signed in, or the server does not ask for a sign-in'],
    [exitCodes.auth, 'the sign-in failed, or you declined it in the browser'],
  ],
  options: {
    'no-browser': { type: 'boolean', about: 'Print the URL, and ask for the URL that the browser ends at' },
    scope: {
      type: 'string',
      multiple: true,
      value: 'name',
      about: 'Request this scope besides those that the server asks for (repeatable)',
    },
    ...endpointOptions,
    header,
    timeout,
    yes,
    policy,
    audit,
    verbose,
  },
  examples: [
    ['mooring login https://example.com/mcp'],
    ['mooring login https://example.com/mcp --no-browser', 'over ssh'],
    ['mooring login shop --scope openid', 'so that whoami can show your name'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const { values } = input;
    const by = { values, shell, print };
    const { target, url } = await endpointIn(input, by);
    const credentials = commandCredentials(by);
    const before = await storedSignIn(url, credentials.store);
    const auth = loginAuth(by, {
      ...credentials,
      isElsewhere: values['no-browser'] === true,
      scopes: values.scope,
      verbose: values.verbose === true,
    });
    const approved = await approveTarget(target, by, { auth });
    await using _ = await openApproved(approved);
    const stored = await storedSignIn(url, credentials.store);
    if (stored === undefined) {
      print.data({ signedIn: false, url: displayUrl(url) });
      print.line(`${displayUrl(url)} does not ask for a sign-in. Nothing was stored.`);
      return undefined;
    }
    const how = before === undefined ? 'Signed in' : 'Still signed in';
    print.line(`${print.style('green', how)} to ${displayUrl(url)}`);
    reportSignIn({ url, stored, path: credentials.path }, by);
    return undefined;
  },
});
