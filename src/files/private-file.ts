/** Creates and checks files and folders that only their owner can access. */
import type { Stats } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import process from 'node:process';
import { FileFault, toFileFault } from './file-fault.ts';

const OTHERS = 0o077;
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Creates the folder if it does not exist. Throws `FileFault` if other users can access it. */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (error) {
    throw toFileFault(folder, error);
  }
  await checkPrivateFolder(folder);
}

export async function checkPrivateFolder(folder: string): Promise<void> {
  const stats = await stat(folder).catch((error: unknown) => {
    throw toFileFault(folder, error);
  });
  checkPrivate(folder, stats, PRIVATE_FOLDER);
}

/** Throws `FileFault` if other users own or can access it. Skipped on Windows, where folders inherit the privacy of the user's profile. */
export function checkPrivate(path: string, { uid, mode }: Stats, wantedMode: number): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own) throw new FileFault(path, `it belongs to user ${uid}, and this process runs as ${own}`);
  if ((mode & OTHERS) === 0) return;
  const [actual, wanted] = [(mode & 0o777).toString(8), wantedMode.toString(8)];
  throw new FileFault(path, `other users can access it (mode ${actual}); run: chmod ${wanted} on it`);
}
