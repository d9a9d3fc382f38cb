/** `mooring login`, `logout` and `whoami`: manage the stored OAuth sign-in of a server, which all commands use. */
import { type SignOutResult, signOut, storedSignIn } from '../../auth/index.ts';
import { displayUrl, printable } from '../../model/printable.ts';
import { Masks } from '../../model/secrets.ts';
import { badArgument } from '../arguments.ts';
import { command, flag, repeatable } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { loginAuth } from '../sign-in/login-auth.ts';
import { isExpired, reportSignIn } from '../sign-in/sign-in-report.ts';
import { approveTarget, lookupsOf, openApproved, resolverFor } from '../target/connect-target.ts';
import { type TargetInput, targetOptions } from '../target/options.ts';
import { commandCredentials } from '../target/sign-in.ts';
import { type CommandTarget, onlyTarget } from '../target/target.ts';

const { config, header, timeout, yes, policy, audit, verbose } = targetOptions;

export const login = command('login', {
  usage: ['<url | server> [options]'],
  about: `Sign in to a server with your browser.

The sign-in is stored in an encrypted file, and every command uses it for this server. Tokens are renewed when they expire.

Over ssh, use --no-browser: open the URL on any machine, and paste the URL that the browser ends at.`,
  exits: [
    [exitCodes.done, 'you are signed in, or the server does not ask for a sign-in'],
    [exitCodes.auth, 'the sign-in failed, or you declined it in the browser'],
  ],
  options: {
    'no-browser': flag('Print the URL, and ask for the URL that the browser ends at'),
    scope: repeatable('name', 'Request this scope in addition to those that the server asks for'),
    ...{ config, header, timeout, yes, policy, audit, verbose },
  },
  examples: [
    ['mooring login https://example.com/mcp'],
    ['mooring login https://example.com/mcp --no-browser', 'over ssh'],
    ['mooring login shop --scope openid', 'so that whoami can show your name'],
  ],
  async run(input) {
    const { values, print } = input;
    const { target, url } = await endpointIn(input);
    const credentials = commandCredentials(input);
    const before = await storedSignIn(url, credentials.store);
    const auth = loginAuth(input, {
      ...credentials,
      isElsewhere: values['no-browser'] === true,
      scopes: values.scope,
      verbose: values.verbose === true,
    });
    await using _ = await openApproved(await approveTarget(target, input, { auth }));
    const stored = await storedSignIn(url, credentials.store);
    if (stored === undefined) {
      print.data({ signedIn: false, url: displayUrl(url) });
      print.line(`${displayUrl(url)} does not ask for a sign-in. Nothing was stored.`);
      return undefined;
    }
    const how = before === undefined ? 'Signed in' : 'Still signed in';
    print.line(`${print.style('green', how)} to ${displayUrl(url)}`);
    reportSignIn(url, stored, credentials.path, input);
    return undefined;
  },
});

export const logout = command('logout', {
  usage: ['<url | server> [options]'],
  about: `Sign out of a server: revoke its tokens, and remove them from this machine.

The tokens are revoked at the issuer that gave them, if it has a revocation endpoint. They are removed in any case.`,
  exits: [
    [exitCodes.done, 'the tokens are removed, and revoked if the issuer can do that'],
    [exitCodes.no, 'the tokens are removed, but the issuer did not revoke them'],
  ],
  options: { config },
  examples: [['mooring logout https://example.com/mcp']],
  async run(input) {
    const { shell, print } = input;
    const { url } = await endpointIn(input);
    const { store } = commandCredentials(input);
    const result = await signOut(url, { store, clock: shell.clock });
    const at = displayUrl(url);
    print.data({ url: at, wasSignedIn: result !== undefined, ...result });
    if (result === undefined) {
      print.line(`You were not signed in to ${at}.`);
      return undefined;
    }
    print.line(`${print.style('green', 'Signed out')} of ${at}`);
    print.line(`The tokens are removed from this machine.\n${revocationText(result)}`);
    return result.revocation === 'failed' ? exitCodes.no : undefined;
  },
});

function revocationText({ issuer, revocation, why = '' }: SignOutResult): string {
  const at = printable(issuer);
  if (revocation === 'revoked') return `${at} revoked them.`;
  if (revocation === 'partial')
    return `${at} revoked the refresh token. It cannot revoke the access token, which stays valid until it expires.`;
  const left = 'They stay valid there until they expire';
  return revocation === 'unsupported'
    ? `${at} has no revocation endpoint. ${left}.`
    : `${at} did not revoke them: ${printable(why)}. ${left}; end the session on its website if it has one.`;
}

export const whoami = command('whoami', {
  usage: ['<url | server> [options]'],
  about: `Show who is signed in to a server, with which scopes, and until when.

Reads what \`mooring login\` stored, and makes no request. Tokens are never shown.`,
  exits: [
    [exitCodes.done, 'you are signed in'],
    [exitCodes.auth, 'you are not signed in, or the sign-in has expired'],
  ],
  options: { config },
  examples: [['mooring whoami https://example.com/mcp'], ['mooring whoami shop --json']],
  async run(input) {
    const { shell, print } = input;
    const { target, url } = await endpointIn(input);
    const { path, store } = commandCredentials(input);
    const stored = await storedSignIn(url, store);
    if (stored !== undefined && !isExpired(stored, shell.clock.wall())) {
      print.line(`${print.style('green', 'Signed in')} to ${displayUrl(url)}`);
      reportSignIn(url, stored, path, input);
      return undefined;
    }
    print.data({ signedIn: false, url: displayUrl(url) });
    const why = stored === undefined ? 'Not signed in' : 'The sign-in has expired';
    print.line(`${why}: ${displayUrl(url)}\nRun \`mooring login ${target.label}\`.`);
    return exitCodes.auth;
  },
});

/** Throws `MCP_BAD_ARGUMENT` for a target that cannot have a sign-in. Makes no request. */
async function endpointIn(input: TargetInput): Promise<{ readonly target: CommandTarget; readonly url: URL }> {
  if (input.words.length === 0 && input.after === undefined)
    throw badArgument('<url | server>', 'expected the URL of a server, or the name of a configured one');
  const target = await onlyTarget(input);
  const { label, source } = target;
  if (!('url' in source))
    throw badArgument(label, 'only a URL has a sign-in; pass credentials to a command with --env');
  const { url, headers = {} } = source;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    throw badArgument(label, 'an Authorization header is set for this server, so a sign-in would not be used');
  const text = url instanceof URL ? url.href : await resolverFor(target, lookupsOf(input), new Masks()).resolve(url);
  if (!URL.canParse(text)) throw badArgument(label, 'the URL of this server is not valid');
  return { target, url: new URL(text) };
}
