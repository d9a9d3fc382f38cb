/** Stores small JSON records in a private folder: one file each, written atomically. */
import { Buffer } from 'node:buffer';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { link, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { badDefinition } from '../../errors.ts';
import { errorCodeOf } from '../../files/file-fault.ts';
import { checkPrivate, makePrivateFolder, PRIVATE_FILE } from '../../files/private-file.ts';
import { readFileBytes, readFileText } from '../../files/read-file.ts';
import { badFile, hostFileError, throwFileError } from '../act/file-error.ts';

/** Maximum size of a record. */
const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;
const SUFFIX = '.json';
const KEY_FILE = 'fingerprint.key';
const KEY_BYTES = 32;
/** Files that are open at once: an operating system limits them, and a folder can have thousands of records. */
const MAX_OPEN = 32;
/** Validates a name from outside, to prevent path traversal. */
const isName = (name: string): boolean => /^[\w-]{1,100}(?:\.[a-z]{1,20})?$/.test(name);

export class RecordFolder {
  readonly #folder: string;
  #ready: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** Creates a record. Returns false if the name exists. */
  create(name: string, value: unknown): Promise<boolean> {
    return this.#write(JSON.stringify(value), (temporary) => this.#linkNew(temporary, this.#path(name)));
  }

  /** Creates or overwrites a record. */
  async replace(name: string, value: unknown): Promise<void> {
    await this.#write(JSON.stringify(value), (temporary) =>
      this.#falseOn('', () => rename(temporary, this.#path(name))),
    );
  }

  /** Reads a record; undefined if it is missing or not valid JSON. */
  async read(name: string): Promise<unknown> {
    if (!isName(name)) return undefined;
    await this.#ensureFolder();
    try {
      const text = await readFileText(this.#path(name), { maxBytes: MAX_RECORD_BYTES });
      return text === undefined ? undefined : JSON.parse(text);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw hostFileError(this.#folder, error);
    }
  }

  /** Returns the folder's secret key. The first process that needs it creates it. */
  async key(): Promise<Uint8Array> {
    await this.#ensureFolder();
    const path = join(this.#folder, KEY_FILE);
    const found = await readKey(path);
    if (found !== undefined) return found;
    await this.#write(randomBytes(KEY_BYTES), (temporary) => this.#linkNew(temporary, path));
    return (await readKey(path)) ?? Promise.reject(badFile(path, 'it was removed while it was made'));
  }

  /** Lists the names of records with this ending, without the ending. */
  async names(ending: string): Promise<readonly string[]> {
    await this.#ensureFolder();
    const files = await readdir(this.#folder).catch(throwFileError(this.#folder));
    const wanted = `.${ending}${SUFFIX}`;
    return files.filter((file) => file.endsWith(wanted)).map((file) => file.slice(0, -wanted.length));
  }

  /** Reads all valid records with this ending. Skips damaged ones, and those whose id does not match their file name. */
  async list<T extends { readonly id: string }>(
    ending: string,
    isWhole: (value: unknown) => value is T,
    idOf: (name: string) => string = (name) => name,
  ): Promise<readonly T[]> {
    const names = await this.names(ending);
    const all: T[] = [];
    for (let at = 0; at < names.length; at += MAX_OPEN) {
      const some = names.slice(at, at + MAX_OPEN);
      const read = await Promise.all(some.map((name) => this.read(`${name}.${ending}`)));
      all.push(...read.flatMap((one, i) => (isWhole(one) && one.id === idOf(some[i] ?? '') ? [one] : [])));
    }
    return all;
  }

  /** Renames a record atomically. Returns false if it does not exist, so that of several processes only one succeeds. */
  async move(from: string, to: string): Promise<boolean> {
    if (!isName(from)) return false;
    return this.#falseOn('ENOENT', () => rename(this.#path(from), this.#path(to)));
  }

  /** Returns false if the record does not exist. */
  async remove(name: string): Promise<boolean> {
    return isName(name) && this.#falseOn('ENOENT', () => unlink(this.#path(name)));
  }

  /** Writes and syncs a temporary file, then calls `place` to link or rename it. */
  async #write(content: string | Uint8Array, place: (temporary: string) => Promise<boolean>): Promise<boolean> {
    // Servers supply part of the content. Reading a record over the limit throws, which would break the whole list.
    if (Buffer.byteLength(content) > MAX_RECORD_BYTES)
      throw badFile(this.#folder, `a record would be larger than ${MAX_RECORD_BYTES} bytes`);
    await this.#ensureFolder();
    const temporary = join(this.#folder, `${randomUUID()}.half`);
    try {
      await writeNew(temporary, content);
      return await place(temporary);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Links instead of renaming, because link() fails if the target exists. */
  #linkNew(temporary: string, path: string): Promise<boolean> {
    return this.#falseOn('EEXIST', () => link(temporary, path));
  }

  #path(name: string): string {
    if (!isName(name)) throw badDefinition('The id of a record', 'it has characters that are not allowed in an id');
    return join(this.#folder, name + SUFFIX);
  }

  /** Runs a file operation. Returns false if it fails with this error code, and throws for others. */
  async #falseOn(code: string, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (errorCodeOf(error) === code) return false;
      throw hostFileError(this.#folder, error);
    }
  }

  #ensureFolder(): Promise<void> {
    this.#ready ??= makePrivateFolder(this.#folder).catch((error: unknown) => {
      this.#ready = undefined;
      throw hostFileError(this.#folder, error);
    });
    return this.#ready;
  }
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const check = (stats: Stats): void => checkPrivate(path, stats, PRIVATE_FILE);
  const key = await readFileBytes(path, { maxBytes: KEY_BYTES, noLinks: true, check }).catch(throwFileError(path));
  if (key !== undefined && key.length !== KEY_BYTES) throw badFile(path, `it must hold ${KEY_BYTES} bytes; remove it`);
  return key;
}

async function writeNew(path: string, text: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE).catch(throwFileError(path));
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
