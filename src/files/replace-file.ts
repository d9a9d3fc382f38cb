/** Replaces a file whole or not at all. Owner, mode and the links that lead to the file stay. */
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { codeOf, FileFault, toFileFault } from './file-fault.ts';

export interface ReplaceOptions {
  /** Of a new file; an existing one keeps its own. */
  readonly mode: number;
  /** Asked at the last moment; where it says no, nothing is replaced. */
  readonly isAllowed?: () => Promise<boolean>;
}

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** False when it was not allowed. Throws `FileFault`. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode, isAllowed }: ReplaceOptions,
): Promise<boolean> {
  try {
    const target = await followLinks(path);
    const before = await statIfAny(target);
    if (before?.isFile() === false) throw new FileFault(path, 'it is not a regular file');
    const beside = `${target}.${randomUUID()}.tmp`;
    try {
      await writeBeside(beside, content, before ?? mode);
      if (isAllowed !== undefined && !(await isAllowed())) return false;
      await rename(beside, target);
    } finally {
      await rm(beside, { force: true });
    }
    await syncFolder(dirname(target));
    return true;
  } catch (error) {
    throw toFileFault(path, error);
  }
}

/** Where a path leads in the end, whether or not there is something. */
export async function followLinks(path: string): Promise<string> {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const isLink = await lstat(at).then(
      (stats) => stats.isSymbolicLink(),
      (error: unknown) => {
        if (codeOf(error) === 'ENOENT') return false;
        throw toFileFault(path, error);
      },
    );
    if (!isLink) return at;
    at = resolve(dirname(at), await readlink(at));
  }
  throw new FileFault(path, 'too many symbolic links lead to each other');
}

async function writeBeside(beside: string, content: string | Uint8Array, like: Stats | number): Promise<void> {
  // Nobody else reads it before it has the owner of the old one.
  const file = await open(beside, 'wx', typeof like === 'number' ? like : 0o600);
  try {
    await file.writeFile(content);
    if (typeof like !== 'number') await copyOwnership(file, beside, like);
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

async function statIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
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
