/** Signing in to a server that wants it: in the person's browser, remembered in a file that only they can read. */

import { join } from 'node:path';
import { fileCredentials, oauth } from '../../auth/index.ts';
import type { ClientAuth } from '../../model/auth.ts';
import type { CommandContext } from '../command.ts';
import { canAsk } from '../shell.ts';
import { stateFolder } from './config-places.ts';
import { credentialsKey } from './credentials-key.ts';

/** Undefined where this is not a terminal: then the rejection is reported as it is. */
export function terminalAuth(by: CommandContext): ClientAuth | undefined {
  const { shell, print } = by;
  if (!canAsk(shell)) return undefined;
  const folder = stateFolder(shell);
  const path = join(folder, 'credentials');
  return oauth({
    clientName: 'mooring',
    store: fileCredentials(path, { key: () => credentialsKey(path, folder, by) }),
    open: (url) => print.note(`Open this address in your browser to sign in:\n  ${url}`),
  });
}
