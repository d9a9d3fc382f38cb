/** Reads regular files up to a size limit. Reading a device, a pipe or an endless file would otherwise never return. */
import { Buffer } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, lstat, open, stat } from 'node:fs/promises';
import { FileFault, toFileFault, undefinedIfMissing } from './file-fault.ts';

export interface ReadLimits {
  readonly maxBytes: number;
  /** Rejects symbolic links, because another user may control their target. */
  readonly noLinks?: boolean;
  /** Called with the open file's stats. Throws if the file must not be read. */
  readonly check?: (stats: Stats) => void;
}

const CHUNK_BYTES = 65_536;
const NOT_REGULAR = 'it is not a regular file';
// Without O_NONBLOCK, opening a pipe blocks until it has a writer.
const FLAGS: number = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Undefined if the file does not exist. Throws `FileFault`. */
export async function readFileBytes(
  path: string,
  { maxBytes, noLinks = false, check }: ReadLimits,
): Promise<Buffer | undefined> {
  const file = await openRegularFile(path, { noLinks });
  if (file === undefined) return undefined;
  try {
    check?.(await file.stat());
    return await readUpTo(file, path, maxBytes);
  } catch (error) {
    throw toFileFault(path, error);
  } finally {
    await file.close();
  }
}

export async function readFileText(path: string, limits: ReadLimits): Promise<string | undefined> {
  return (await readFileBytes(path, limits))?.toString('utf8');
}

/** Opens a file for reading. Undefined if it does not exist. Throws `FileFault`. */
export async function openRegularFile(
  path: string,
  { noLinks }: Pick<ReadLimits, 'noLinks'> = {},
): Promise<FileHandle | undefined> {
  try {
    // Checks before opening, because opening a device can have side effects.
    if (noLinks === true && (await lstat(path)).isSymbolicLink())
      throw new FileFault(path, 'it is a symbolic link; name the file itself');
    if (!(await stat(path)).isFile()) throw new FileFault(path, NOT_REGULAR);
    const file = await open(path, FLAGS | (noLinks === true ? (constants.O_NOFOLLOW ?? 0) : 0));
    // Checks again, because the path may lead to another file by now (TOCTOU).
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new FileFault(path, NOT_REGULAR);
  } catch (error) {
    return undefinedIfMissing(path, error);
  }
}

async function readUpTo(file: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let size = 0; ; ) {
    // Does not rely on the reported size: files grow, and some report 0.
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes + 1 - size));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks, size);
    size += bytesRead;
    if (size > maxBytes) throw tooLarge(path, maxBytes);
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

/** Reads synchronously, for module loaders. Undefined if the file does not exist. Throws `FileFault`. */
export function readFileBytesSync(path: string, { maxBytes }: Pick<ReadLimits, 'maxBytes'>): Buffer | undefined {
  let file: number | undefined;
  try {
    if (!statSync(path).isFile()) throw new FileFault(path, NOT_REGULAR);
    file = openSync(path, FLAGS);
    const { size } = fstatSync(file);
    if (size > maxBytes) throw tooLarge(path, maxBytes);
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, readSync(file, bytes));
  } catch (error) {
    return undefinedIfMissing(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Returns the first bytes of a regular file; empty if it cannot be read. */
export function readFileHeadSync(path: string, maxBytes: number): Buffer {
  let file: number | undefined;
  try {
    if (!statSync(path).isFile()) return Buffer.alloc(0);
    file = openSync(path, FLAGS);
    const head = Buffer.alloc(maxBytes);
    return head.subarray(0, readSync(file, head));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const tooLarge = (path: string, maxBytes: number): FileFault =>
  new FileFault(path, `it is larger than ${maxBytes} bytes`);
