/** Small records in a private folder: a file each, written whole or not at all. */
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

/** More than a question or an approval ever holds. */
const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;
const SUFFIX = '.json';
const KEY_FILE = 'fingerprint.key';
const KEY_BYTES = 32;
/** Names come from elsewhere: none of them leads out of the folder. */
const isName = (name: string): boolean => /^[\w-]{1,100}(?:\.[a-z]{1,20})?$/.test(name);

export class RecordFolder {
  readonly #folder: string;
  #ready: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** False when there is one with this name already. */
  create(name: string, value: unknown): Promise<boolean> {
    return this.#write(JSON.stringify(value), (half) => this.#linkNew(half, this.#path(name)));
  }

  /** In place of what was there, if anything was. */
  async replace(name: string, value: unknown): Promise<void> {
    await this.#write(JSON.stringify(value), (half) => this.#unless('', () => rename(half, this.#path(name))));
  }

  /** Undefined when there is none, or none that can be read. */
  async read(name: string): Promise<unknown> {
    if (!isName(name)) return undefined;
    await this.#made();
    try {
      const text = await readFileText(this.#path(name), { maxBytes: MAX_RECORD_BYTES });
      return text === undefined ? undefined : JSON.parse(text);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw hostFileError(this.#folder, error);
    }
  }

  /** Secret bytes that stay with the folder. The first process that needs them makes them. */
  async key(): Promise<Uint8Array> {
    await this.#made();
    const path = join(this.#folder, KEY_FILE);
    const found = await readKey(path);
    if (found !== undefined) return found;
    await this.#write(randomBytes(KEY_BYTES), (half) => this.#linkNew(half, path));
    return (await readKey(path)) ?? Promise.reject(badFile(path, 'it was removed while it was made'));
  }

  async names(ending: string): Promise<readonly string[]> {
    await this.#made();
    const files = await readdir(this.#folder).catch(throwFileError(this.#folder));
    const wanted = `.${ending}${SUFFIX}`;
    return files.filter((file) => file.endsWith(wanted)).map((file) => file.slice(0, -wanted.length));
  }

  /** Those with this ending, without what is damaged or stands under another id than its own. */
  async list<T extends { readonly id: string }>(
    ending: string,
    isWhole: (value: unknown) => value is T,
    idOf: (name: string) => string = (name) => name,
  ): Promise<readonly T[]> {
    const names = await this.names(ending);
    const all = await Promise.all(names.map((name) => this.read(`${name}.${ending}`)));
    return all.flatMap((one, at) => (isWhole(one) && one.id === idOf(names[at] ?? '') ? [one] : []));
  }

  /** False when it was not there: of several who try, one succeeds. */
  async move(from: string, to: string): Promise<boolean> {
    if (!isName(from)) return false;
    return this.#unless('ENOENT', () => rename(this.#path(from), this.#path(to)));
  }

  /** False when it was not there. */
  async remove(name: string): Promise<boolean> {
    return isName(name) && this.#unless('ENOENT', () => unlink(this.#path(name)));
  }

  /** Writes a file whole before it is put in its place. */
  async #write(content: string | Uint8Array, place: (half: string) => Promise<boolean>): Promise<boolean> {
    // Servers write some of it. One record that cannot be read would hide all others.
    if (Buffer.byteLength(content) > MAX_RECORD_BYTES)
      throw badFile(this.#folder, `a record would be larger than ${MAX_RECORD_BYTES} bytes`);
    await this.#made();
    const half = join(this.#folder, `${randomUUID()}.half`);
    try {
      await writeNew(half, content);
      return await place(half);
    } finally {
      await rm(half, { force: true });
    }
  }

  /** Unlike renaming, linking fails where there is something already. */
  #linkNew(half: string, path: string): Promise<boolean> {
    return this.#unless('EEXIST', () => link(half, path));
  }

  #path(name: string): string {
    if (!isName(name)) throw badDefinition('The id of a record', 'it has characters that no id has');
    return join(this.#folder, name + SUFFIX);
  }

  async #unless(code: string, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (errorCodeOf(error) === code) return false;
      throw hostFileError(this.#folder, error);
    }
  }

  #made(): Promise<void> {
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
