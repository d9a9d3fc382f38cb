/**
 * The encryption key of the credentials file. Stored in the system's keychain, or without one in a file that only the owner can
 * read. That file protects credentials in backups that exclude it, but not from other programs of the same user.
 */
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { McpError } from '../../errors.ts';
import { FileFault } from '../../files/file-fault.ts';
import { whileLocked } from '../../files/file-lock.ts';
import { checkPrivate, makePrivateFolder, PRIVATE_FILE } from '../../files/private-file.ts';
import { readFileBytes } from '../../files/read-file.ts';
import { replaceFile } from '../../files/replace-file.ts';
import type { CommandContext } from '../command.ts';
import { type Keychain, systemKeychain } from './keychain.ts';

/** Lock timeout: another process can hold the lock while its user unlocks the keychain. */
const WAIT_MS = 150_000;
const KEY_BYTES = 32;

/** `credentials` is the encrypted file; `folder` is for the lock and the key file. */
export async function credentialsKey(credentials: string, folder: string, by: CommandContext): Promise<Buffer> {
  try {
    return await readOrCreateKey(credentials, folder, by);
  } catch (error) {
    throw error instanceof FileFault ? credentialsError(error.path, error.why, error) : error;
  }
}

const credentialsError = (path: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_AUTH_STORE', { path, why }, { cause });

async function readOrCreateKey(credentials: string, folder: string, by: CommandContext): Promise<Buffer> {
  await makePrivateFolder(folder);
  const keyFile = join(folder, 'credentials.key');
  const keychain = systemKeychain(by.shell);
  return whileLocked(keyFile, { clock: by.shell.clock, waitMs: WAIT_MS }, async () => {
    const check = (stats: Stats): void => checkPrivate(keyFile, stats, PRIVATE_FILE);
    const old = await readFileBytes(keyFile, { maxBytes: 1_024, noLinks: true, check });
    if (old !== undefined) {
      // Any bytes would encrypt: also none, where the disk was full.
      if (old.length !== KEY_BYTES)
        throw new FileFault(
          keyFile,
          `it has ${old.length} bytes, and a key has ${KEY_BYTES}. Move it and ${credentials} away, and sign in again`,
        );
      // A keychain became available: moves the key there.
      if (await storeInKeychain(keychain, old)) await unlink(keyFile);
      return old;
    }
    return (await readFromKeychain(keychain, credentials)) ?? createKey(keyFile, keychain, by);
  });
}

/** Undefined if no key exists yet. Throws if there are credentials whose key the keychain does not return. */
async function readFromKeychain(keychain: Keychain | undefined, credentials: string): Promise<Buffer | undefined> {
  const secret = await keychain?.read().catch(() => undefined);
  if (secret !== undefined && /^[\da-f]{64}$/.test(secret)) return Buffer.from(secret, 'hex');
  const isUsed = await stat(credentials).then(
    () => true,
    () => false,
  );
  if (!isUsed) return undefined;
  const why =
    'the system keychain does not return their encryption key. Unlock the keychain, or move the file away and sign in again';
  throw credentialsError(credentials, why);
}

async function createKey(keyFile: string, keychain: Keychain | undefined, { print }: CommandContext): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  if (await storeInKeychain(keychain, key)) return key;
  await replaceFile(keyFile, key, { mode: PRIVATE_FILE });
  print.note(
    `No system keychain is available, so the encryption key of your credentials is stored in ${keyFile}. Programs that can read your files can decrypt the credentials.`,
  );
  return key;
}

async function storeInKeychain(keychain: Keychain | undefined, key: Buffer): Promise<boolean> {
  if (keychain === undefined) return false;
  return keychain.write(key.toString('hex')).then(
    () => true,
    () => false,
  );
}
