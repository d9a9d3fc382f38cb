/** OAuth for commands: signs in with the user's browser, and stores credentials in an encrypted, private file. */
import { join } from 'node:path';
import { type CredentialStore, fileCredentials, oauth, type SignIn } from '../../auth/index.ts';
import { McpError } from '../../errors.ts';
import type { ClientAuth, HttpAuth } from '../../model/auth.ts';
import { displayUrl, printableIndented } from '../../model/printable.ts';
import type { CommandContext } from '../command.ts';
import { stateFolder } from '../paths.ts';
import { canAsk } from '../shell.ts';
import { credentialsKey } from './credentials-key.ts';

/** The client name that authorization servers show to the user. */
export const CLIENT_NAME = 'mooring';

export interface CommandCredentials {
  readonly path: string;
  readonly store: CredentialStore;
}

export function commandCredentials(by: CommandContext): CommandCredentials {
  const folder = stateFolder(by.shell);
  const path = join(folder, 'credentials');
  return { path, store: fileCredentials(path, { key: () => credentialsKey(path, folder, by), clock: by.shell.clock }) };
}

/** Interactive sign-in on a terminal. In scripts, uses only a stored sign-in. */
export function commandAuth(by: CommandContext): ClientAuth {
  const { shell, print } = by;
  if (!canAsk(shell)) return storedAuth(by);
  return oauth({
    clientName: CLIENT_NAME,
    store: commandCredentials(by).store,
    open: (url) => print.note(`Open this URL in your browser to sign in:\n  ${url}`),
  });
}

function storedAuth(by: CommandContext): ClientAuth {
  const store = readIfPossible(commandCredentials(by).store, by);
  return (endpoint) => {
    const auth = oauth({ clientName: CLIENT_NAME, store, signIn: noSignIn(endpoint) })(endpoint);
    // Without stored tokens, the server's rejection is the better error than a sign-in that cannot happen.
    const onChallenge: HttpAuth['onChallenge'] = async (challenged) =>
      challenged.sent?.['authorization'] !== undefined && (await auth.onChallenge(challenged));
    return { headers: (request) => auth.headers(request), onChallenge };
  };
}

/** In scripts, a locked keychain must not fail a command that needs no credentials. */
function readIfPossible(store: CredentialStore, { print }: CommandContext): CredentialStore {
  const read: CredentialStore['read'] = async (key) => {
    try {
      return await store.read(key);
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      print.note(printableIndented(`${error.message}. The command continues without them.`));
      return undefined;
    }
  };
  return { ...store, read };
}

const noSignIn = (endpoint: URL): SignIn => ({
  async begin() {
    const url = displayUrl(endpoint);
    const why = `the stored sign-in is no longer valid. Run \`mooring login ${url}\``;
    throw new McpError('MCP_AUTH_FAILED', { url, step: 'the stored sign-in', why });
  },
});
