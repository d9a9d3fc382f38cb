/**
 * The key of the file that credentials are kept in. The system's keychain holds it where there is one; a file for its owner alone
 * where there is none, which keeps credentials out of backups that leave it out, and not from programs of the same user.
 */
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { McpError } from '../../errors.ts';
import { FileFault } from '../../files/file-fault.ts';
import { whileLocked } from '../../files/file-lock.ts';
import { checkPrivate, makePrivateFolder, PRIVATE_FILE } from '../../files/private-file.ts';
import { readFileBytes } from '../../files/read-file.ts';
import type { CommandContext } from '../command.ts';
import { type Keychain, systemKeychain } from './keychain.ts';

/** Longer than a user takes to unlock a keychain. */
const WAIT_MS = 150_000;
const KEY_BYTES = 32;

/** `credentials` is the file that it opens. */
export async function credentialsKey(credentials: string, folder: string, by: CommandContext): Promise<Buffer> {
  try {
    return await foundOrMade(credentials, folder, by);
  } catch (error) {
    throw error instanceof FileFault ? credentialsError(error.path, error.why, error) : error;
  }
}

const credentialsError = (path: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_AUTH_STORE', { path, why }, { cause });

async function foundOrMade(credentials: string, folder: string, by: CommandContext): Promise<Buffer> {
  await makePrivateFolder(folder);
  const filed = join(folder, 'credentials.key');
  const keychain = systemKeychain(by.shell);
  return whileLocked(filed, { clock: by.shell.clock, waitMs: WAIT_MS }, async () => {
    const check = (stats: Stats): void => checkPrivate(filed, stats, PRIVATE_FILE);
    const old = await readFileBytes(filed, { maxBytes: 1_024, noLinks: true, check });
    if (old !== undefined) {
      if (old.length === KEY_BYTES && (await keeps(keychain, old))) await unlink(filed);
      return old;
    }
    return (await inKeychain(keychain, credentials)) ?? made(filed, keychain, by);
  });
}

/** Undefined where no key was ever made. */
async function inKeychain(keychain: Keychain | undefined, credentials: string): Promise<Buffer | undefined> {
  const secret = await keychain?.read().catch(() => undefined);
  if (secret !== undefined && /^[\da-f]{64}$/.test(secret)) return Buffer.from(secret, 'hex');
  const isUsed = await stat(credentials).then(
    () => true,
    () => false,
  );
  if (!isUsed) return undefined;
  const why =
    'its key is in the keychain of the system, which does not give it out. Unlock the keychain, or move the file away and sign in again';
  throw credentialsError(credentials, why);
}

async function made(filed: string, keychain: Keychain | undefined, { print }: CommandContext): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  if (await keeps(keychain, key)) return key;
  await writeFile(filed, key, { flag: 'wx', mode: PRIVATE_FILE });
  print.note(
    `There is no keychain to keep the key of your credentials in, so it is in ${filed}. Programs that can read your files can read both.`,
  );
  return key;
}

async function keeps(keychain: Keychain | undefined, key: Buffer): Promise<boolean> {
  if (keychain === undefined) return false;
  return keychain.write(key.toString('hex')).then(
    () => true,
    () => false,
  );
}
