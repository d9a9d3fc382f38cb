/** Files that nobody else may read: made so, checked before they are used, and replaced whole or not at all. */
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { McpError } from '../../errors.ts';

const OTHERS = 0o077;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export function unusable(path: string, why: string, cause?: unknown): McpError {
  return new McpError('MCP_AUTH_STORE', { path, why }, { cause });
}

/** What the system calls an error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

export async function makeFolder(folder: string): Promise<void> {
  await trying(folder, () => mkdir(folder, { recursive: true, mode: FOLDER_MODE }));
  await checkFolder(folder);
}

/** The text of the file; undefined when there is none. */
export async function readPrivate(path: string): Promise<string | undefined> {
  const file = await opened(path);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw unusable(path, 'it is no regular file');
    checkOwner(path, stats, FILE_MODE);
    await checkFolder(dirname(path));
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** False when `allowed` says, at the last moment, that it is not to be done. */
export async function replace(path: string, text: string, allowed: () => Promise<boolean>): Promise<boolean> {
  const fresh = `${path}.${randomUUID()}.tmp`;
  return trying(path, async () => {
    try {
      const file = await open(fresh, 'wx', FILE_MODE);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      if (!(await allowed())) return false;
      await rename(fresh, path);
      await syncFolder(dirname(path));
      return true;
    } finally {
      await rm(fresh, { force: true });
    }
  });
}

async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    // A link could lead to a file that somebody else chose.
    if ((await lstat(path)).isSymbolicLink()) throw unusable(path, 'it is a symbolic link; name the file itself');
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error instanceof McpError ? error : unusable(path, said(error), error);
  }
}

async function checkFolder(folder: string): Promise<void> {
  checkOwner(folder, await trying(folder, () => stat(folder)), FOLDER_MODE);
}

/** Where the system keeps modes and owners; on Windows a profile is its user's own by inheritance. */
function checkOwner(path: string, { uid, mode }: Stats, wanted: number): void {
  const us = process.getuid?.();
  if (us === undefined) return;
  if (uid !== us) throw unusable(path, `it belongs to user ${uid}, and this process runs as ${us}`);
  const [is, fits] = [(mode & 0o777).toString(8), wanted.toString(8)];
  if ((mode & OTHERS) !== 0) throw unusable(path, `others may use it (mode ${is}); run: chmod ${fits} on it`);
}

/** A new name survives a power cut only when its folder is written too; Windows has no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function trying<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof McpError ? error : unusable(path, said(error), error);
  }
}

const said = (error: unknown): string => `the system says ${codeOf(error) ?? 'that it cannot be done'}`;
