/** Signing in to a server that wants it: in the person's browser, remembered in a file that only they can read. */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileCredentials } from '../../auth/client/file-credentials.ts';
import { oauth } from '../../auth/client/oauth.ts';
import { readFileBytes } from '../../files/read-file.ts';
import type { ClientAuth } from '../../model/auth.ts';
import { badArgument } from '../arguments.ts';
import type { Surroundings } from '../command.ts';
import { canAsk } from '../shell.ts';
import { stateFolder } from './config-places.ts';

/** Undefined where nobody sits at a terminal: then a refusal is told as it is. */
export function signingIn({ shell, print }: Surroundings): ClientAuth | undefined {
  if (!canAsk(shell)) return undefined;
  const folder = stateFolder(shell);
  return oauth({
    clientName: 'mooring',
    store: fileCredentials(join(folder, 'credentials'), { key: () => keyIn(folder) }),
    open: (url) => print.note(`Open this address in your browser to sign in:\n  ${url}`),
  });
}

/** Beside the file, for its owner alone: it keeps credentials out of backups and of accidents, not from whoever is this user. */
async function keyIn(folder: string): Promise<Buffer> {
  const path = join(folder, 'credentials.key');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Whoever comes first makes it.
  await writeFile(path, randomBytes(32), { flag: 'wx', mode: 0o600 }).catch(() => undefined);
  const key = await readFileBytes(path, { maxBytes: 1_024 });
  if (key === undefined) throw badArgument(path, 'the key of the credentials can be neither written nor read there');
  return key;
}
