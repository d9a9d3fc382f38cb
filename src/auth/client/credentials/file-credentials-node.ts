/** The encrypted file of `fileCredentials`: private to its owner, changed under a lock file, replaced atomically. */
import { createHash, randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileFault } from '../../../files/file-fault.ts';
import { type HeldLock, whileLocked } from '../../../files/file-lock.ts';
import { checkPrivate, checkPrivateFolder, makePrivateFolder, PRIVATE_FILE } from '../../../files/private-file.ts';
import { readFileText } from '../../../files/read-file.ts';
import { replaceFile } from '../../../files/replace-file.ts';
import type { Clock } from '../../../peer/clock.ts';
import { type CredentialStore, credentialStoreError } from './credential-store.ts';
import { deriveKey, readSalt, SALT_BYTES, seal, unseal } from './file-credentials-seal-node.ts';

interface CredentialFileOptions {
  readonly path: string;
  readonly getKey: () => Promise<string | Uint8Array>;
  readonly clock: Clock;
}

/** Maximum size of the file; enough for thousands of sign-ins. */
const MAX_BYTES: number = 16 * 1024 * 1024;
/** A change takes milliseconds, so a lock that is older than this belongs to a process that exited or is suspended. */
const STALE_MS = 10_000;
const WAIT_MS = 20_000;
/** Stale age for `whileLocked`: a refresh makes two requests of ten seconds at most, and changes the file. A longer sign-out loses nothing. */
const WORK_STALE_MS = 45_000;
const WORK_WAIT_MS = 60_000;

export function credentialFile({ path: given, getKey, clock }: CredentialFileOptions): Required<CredentialStore> {
  const path = resolve(given);
  let pendingKey: Promise<string | Uint8Array> | undefined;
  /** Cache of the derived key, valid while the file has the same salt. */
  let derived: { readonly salt: Buffer; readonly key: Buffer } | undefined;
  let changes: Promise<unknown> = Promise.resolve();

  /** Does not cache a failure, so that a user can unlock the keychain and retry. */
  function loadKey(): Promise<string | Uint8Array> {
    pendingKey ??= getKey().catch((error: unknown) => {
      pendingKey = undefined;
      throw error;
    });
    return pendingKey;
  }

  /** Decrypts the entries, and returns them with the key and salt to encrypt them again. */
  async function decrypt(
    text: string | undefined,
  ): Promise<{ readonly stored: Map<string, string>; readonly salt: Buffer; readonly key: Buffer }> {
    const salt = text === undefined ? randomBytes(SALT_BYTES) : readSalt(text, path);
    if (derived?.salt.equals(salt) !== true) derived = { salt, key: await deriveKey(await loadKey(), salt) };
    const { key } = derived;
    try {
      return { salt, key, stored: text === undefined ? new Map() : unseal(key, text, path) };
    } catch (error) {
      // The user can have mistyped the passphrase.
      pendingKey = undefined;
      derived = undefined;
      throw error;
    }
  }

  /** Serializes changes. A failed change does not affect the next. */
  function change(apply: (stored: Map<string, string>) => boolean): Promise<void> {
    const changed = changes.then(async () => {
      // Gets the key before taking the lock: a user who has to unlock a keychain would make the lock stale.
      await loadKey();
      await changeCredentials(path, clock, async (text) => {
        const contents = await decrypt(text);
        return apply(contents.stored) ? seal(contents, contents.stored) : undefined;
      });
    });
    changes = changed.catch(() => undefined);
    return changed;
  }

  return {
    async read(name) {
      const text = await readCredentials(path);
      return text === undefined ? undefined : (await decrypt(text)).stored.get(name);
    },
    write: (name, value) => change((stored) => stored.get(name) !== value && stored.set(name, value) !== undefined),
    remove: (name) => change((stored) => stored.delete(name)),
    /** Uses a separate lock file for each name, so that other processes can still read and change the credentials. */
    whileLocked(name, work) {
      const own = `${path}.${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
      return withStoreErrors(async () => {
        await makePrivateFolder(dirname(own));
        return whileLocked(own, { clock, waitMs: WORK_WAIT_MS, staleMs: WORK_STALE_MS }, work);
      });
    },
  };
}

/** Returns undefined if the file does not exist. */
function readCredentials(path: string): Promise<string | undefined> {
  return withStoreErrors(async () => {
    const check = (stats: Stats): void => checkPrivate(path, stats, PRIVATE_FILE);
    const text = await readFileText(path, { maxBytes: MAX_BYTES, noLinks: true, check });
    if (text !== undefined) await checkPrivateFolder(dirname(path));
    return text;
  });
}

/** Replaces the text of the file by the result of `change`; undefined leaves the file unchanged. */
export function changeCredentials(
  path: string,
  clock: Clock,
  change: (text: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  const changeOnce = async (held: HeldLock): Promise<boolean> => {
    const text = await change(await readCredentials(path));
    // A process that was suspended can lose its lock as stale. Then nothing is written, and the change is repeated.
    const limits = { mode: PRIVATE_FILE, maxBytes: MAX_BYTES, isAllowed: (): Promise<boolean> => held.isHeld() };
    return text === undefined || replaceFile(path, text, limits);
  };
  return withStoreErrors(async () => {
    await makePrivateFolder(dirname(path));
    for (let done = false; !done; )
      done = await whileLocked(path, { clock, waitMs: WAIT_MS, staleMs: STALE_MS }, changeOnce);
  });
}

async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FileFault ? credentialStoreError(error.path, error.why, error) : error;
  }
}
