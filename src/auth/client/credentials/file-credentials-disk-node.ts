/** The file that credentials are kept in: private, read whole, replaced whole or not at all. */
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { McpError } from '../../../errors.ts';
import { FileFault } from '../../../files/file-fault.ts';
import { type HeldLock, whileLocked } from '../../../files/file-lock.ts';
import { checkPrivate, checkPrivateFolder, makePrivateFolder, PRIVATE_FILE } from '../../../files/private-file.ts';
import { readFileText } from '../../../files/read-file.ts';
import { replaceFile } from '../../../files/replace-file.ts';
import type { Clock } from '../../../peer/clock.ts';

/** Thousands of sign-ins. */
const MAX_BYTES: number = 16 * 1024 * 1024;
/** A change takes milliseconds: a process that holds the lock this long is gone, or was stopped. */
const STALE_MS = 10_000;
const WAIT_MS = 20_000;

export function credentialStoreError(path: string, why: string, cause?: unknown): McpError {
  return new McpError('MCP_AUTH_STORE', { path, why }, { cause });
}

/** The text of the file; undefined when there is none. */
export function readCredentials(path: string): Promise<string | undefined> {
  return toStoreErrors(async () => {
    const check = (stats: Stats): void => checkPrivate(path, stats, PRIVATE_FILE);
    const text = await readFileText(path, { maxBytes: MAX_BYTES, noLinks: true, check });
    if (text !== undefined) await checkPrivateFolder(dirname(path));
    return text;
  });
}

/** `change` gets the text and gives the new one; undefined where nothing is to change. */
export async function changeCredentials(
  path: string,
  clock: Clock,
  change: (text: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  await toStoreErrors(() => makePrivateFolder(dirname(path)));
  const once = async (held: HeldLock): Promise<boolean> => {
    const text = await change(await readCredentials(path));
    if (text === undefined) return true;
    // A process that was stopped for long can have lost the lock: then it begins again.
    return replaceFile(path, text, { mode: PRIVATE_FILE, isAllowed: () => held.isHeld() });
  };
  for (let done = false; !done; )
    done = await toStoreErrors(() => whileLocked(path, { clock, waitMs: WAIT_MS, staleMs: STALE_MS }, once));
}

async function toStoreErrors<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof FileFault ? credentialStoreError(error.path, error.why, error) : error;
  }
}
