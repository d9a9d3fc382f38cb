/** `mooring whoami`: who is signed in to a server. */
import { storedSignIn } from '../../auth/index.ts';
import { displayUrl } from '../../model/printable.ts';
import { type CommandContext, command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { endpointIn, endpointOptions } from '../sign-in/endpoint.ts';
import { isExpired, reportSignIn } from '../sign-in/sign-in-report.ts';
import { commandCredentials } from '../target/sign-in.ts';

export const whoami = command({
  usage: ['<url | name> [options]'],
  about: `Show who is signed in to a server, with which scopes, and until when.

Reads what \`mooring login\` stored, and makes no request. Tokens are never shown.`,
  exits: [
    [exitCodes.done, 'you are signed in'],
    [exitCodes.auth, 'you are not signed in, or the sign-in has expired'],
  ],
  options: endpointOptions,
  examples: [['mooring whoami https://example.com/mcp'], ['mooring whoami shop --json']],
  async run(input, { shell, print }: CommandContext) {
    const by = { values: input.values, shell, print };
    const { target, url } = await endpointIn(input, by);
    const { path, store } = commandCredentials(by);
    const stored = await storedSignIn(url, store);
    if (stored !== undefined && !isExpired(stored, shell.clock.wall())) {
      print.line(`${print.style('green', 'Signed in')} to ${displayUrl(url)}`);
      reportSignIn({ url, stored, path }, by);
      return undefined;
    }
    print.data({ signedIn: false, url: displayUrl(url) });
    const why = stored === undefined ? 'Not signed in' : 'The sign-in has expired';
    print.line(`${why}: ${displayUrl(url)}\nRun \`mooring login ${target.label}\`.`);
    return exitCodes.auth;
  },
});
