/** Small records in a folder that nobody else may look into: a file each, written whole or not at all. */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { McpError } from '../errors.ts';

const OTHERS = 0o077;
const SUFFIX = '.json';
/** Names come from elsewhere: none of them leads out of the folder. */
const isName = (name: string): boolean => /^[\w-]{1,100}(?:\.[a-z]{1,20})?$/.test(name);

export class RecordFolder {
  readonly #folder: string;
  #ready: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** False when there is one with this name already. */
  async create(name: string, value: unknown): Promise<boolean> {
    await this.#made();
    const half = join(this.#folder, `${randomUUID()}.half`);
    try {
      await written(half, JSON.stringify(value));
      // Unlike renaming, linking fails where there is something already.
      return await this.#unless('EEXIST', () => link(half, this.#path(name)));
    } finally {
      await rm(half, { force: true });
    }
  }

  /** Undefined when there is none, or none that can be read. */
  async read(name: string): Promise<unknown> {
    if (!isName(name)) return undefined;
    await this.#made();
    try {
      return JSON.parse(await readFile(this.#path(name), 'utf8'));
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
      throw unusable(this.#folder, error);
    }
  }

  /** The names with this ending. */
  async names(ending: string): Promise<readonly string[]> {
    await this.#made();
    const files = await readdir(this.#folder).catch((error: unknown) => {
      throw unusable(this.#folder, error);
    });
    const wanted = `.${ending}${SUFFIX}`;
    return files.filter((file) => file.endsWith(wanted)).map((file) => file.slice(0, -wanted.length));
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

  #path(name: string): string {
    if (!isName(name))
      throw new McpError('MCP_BAD_DEFINITION', { what: 'The id of a record', why: 'it is none of ours' });
    return join(this.#folder, name + SUFFIX);
  }

  async #unless(code: string, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (codeOf(error) === code) return false;
      throw unusable(this.#folder, error);
    }
  }

  #made(): Promise<void> {
    this.#ready ??= makePrivate(this.#folder).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }
}

async function makePrivate(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = await stat(folder);
    const us = process.getuid?.();
    if (us === undefined) return;
    if (uid !== us) throw badFile(folder, `it belongs to user ${uid}, and this process runs as ${us}`);
    if ((mode & OTHERS) !== 0) throw badFile(folder, 'others may look into it; run: chmod 700 on it');
  } catch (error) {
    throw unusable(folder, error);
  }
}

async function written(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw unusable(path, error);
  });
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What the system calls an error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

export const badFile = (path: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_HOST_FILE', { path, why }, { cause });

export const unusable = (path: string, error: unknown): McpError =>
  error instanceof McpError
    ? error
    : badFile(path, `the system says ${codeOf(error) ?? 'that it cannot be done'}`, error);
