/** Replaces a file atomically, and preserves its owner, its mode and symbolic links to it. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { FileFault, toFileFault, undefinedIfMissing } from './file-fault.ts';

export interface ReplaceOptions {
  /** The mode of a new file. An existing file keeps its mode. */
  readonly mode: number;
  /** The limit with which the file is read. Larger content is rejected, because it could not be read again. */
  readonly maxBytes?: number;
  /** Called right before the file is replaced. If it returns false, the file is left unchanged. */
  readonly isAllowed?: () => Promise<boolean>;
}

/** Maximum length of a chain of symbolic links, as on Linux. */
const MAX_LINKS = 40;

/** Replaces the file. Returns false if `isAllowed` did. Throws `FileFault`. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode, maxBytes, isAllowed }: ReplaceOptions,
): Promise<boolean> {
  try {
    if (maxBytes !== undefined && Buffer.byteLength(content) > maxBytes)
      throw new FileFault(path, `it would be larger than ${maxBytes} bytes, and is left as it is`);
    const target = await followLinks(path);
    const before = await stat(target).catch((error: unknown) => undefinedIfMissing(path, error));
    if (before?.isFile() === false) throw new FileFault(path, 'it is not a regular file');
    const temporary = `${target}.${randomUUID()}.tmp`;
    try {
      await writeTemporary(temporary, content, before ?? mode);
      if (isAllowed !== undefined && !(await isAllowed())) return false;
      await rename(temporary, target);
    } finally {
      await rm(temporary, { force: true });
    }
    await syncFolder(dirname(target));
    return true;
  } catch (error) {
    throw toFileFault(path, error);
  }
}

/** Returns the path at the end of a chain of symbolic links, whether or not a file exists there. */
export async function followLinks(path: string): Promise<string> {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const stats = await lstat(at).catch((error: unknown) => undefinedIfMissing(path, error));
    if (stats?.isSymbolicLink() !== true) return at;
    at = resolve(dirname(at), await readlink(at));
  }
  throw new FileFault(path, 'too many symbolic links lead to each other');
}

async function writeTemporary(temporary: string, content: string | Uint8Array, like: Stats | number): Promise<void> {
  // The file is private until it gets the owner and mode of the old file.
  const file = await open(temporary, 'wx', typeof like === 'number' ? like : 0o600);
  try {
    await file.writeFile(content);
    if (typeof like !== 'number') await copyOwnership(file, temporary, like);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function copyOwnership(file: FileHandle, path: string, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid !== uid || own.gid !== gid)
    await file.chown(uid, gid).catch((error: unknown) => {
      const why = `it belongs to user ${uid} and group ${gid}, and this process cannot keep that; run this as that user`;
      throw new FileFault(path, why, error);
    });
  await file.chmod(mode & 0o7777);
}

/** Syncs the folder, without which a rename can be lost in a power failure. Windows cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
