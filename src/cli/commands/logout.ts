/** `mooring logout`: revokes the tokens of a server at their issuer, and removes them. */
import { type SignOutResult, signOut } from '../../auth/index.ts';
import { displayUrl, printable } from '../../model/printable.ts';
import { type CommandContext, command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { endpointIn, endpointOptions } from '../sign-in/endpoint.ts';
import { commandCredentials } from '../target/sign-in.ts';

export const logout = command({
  usage: ['<url | name> [options]'],
  about: `Sign out of a server: revoke its tokens, and remove them from this machine.

The tokens are revoked at the issuer that gave them, if it has a revocation endpoint. They are removed in any case.`,
  exits: [
    [exitCodes.done, 'the tokens are removed, and revoked if the issuer can do that'],
    [exitCodes.no, 'the tokens are removed, but the issuer did not revoke them'],
  ],
  options: endpointOptions,
  examples: [['mooring logout https://example.com/mcp']],
  async run(input, { shell, print }: CommandContext) {
    const by = { values: input.values, shell, print };
    const { url } = await endpointIn(input, by);
    const { store } = commandCredentials(by);
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
