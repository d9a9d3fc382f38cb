/** Files and folders that no other user can read. */
import type { Stats } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import process from 'node:process';
import { FileFault, toFileFault } from './file-fault.ts';

const OTHERS = 0o077;
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Creates the folder if it does not exist. Throws `FileFault` when other users can access it. */
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

/** Windows has no modes and owners of this kind: a profile is private to its user by inheritance. */
export function checkPrivate(path: string, { uid, mode }: Stats, wanted: number): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own) throw new FileFault(path, `it belongs to user ${uid}, and this process runs as ${own}`);
  if ((mode & OTHERS) === 0) return;
  const [is, fits] = [(mode & 0o777).toString(8), wanted.toString(8)];
  throw new FileFault(path, `other users can access it (mode ${is}); run: chmod ${fits} on it`);
}
