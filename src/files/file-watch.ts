/** Watches files for changes of their content, for hot reload. */
import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../peer/clock.ts';
import { readFileBytes } from './read-file.ts';
import { followLinks } from './replace-file.ts';

/** Debounces changes, because editors write a file in several steps, and several files. */
const DEBOUNCE_MS = 100;
/** Polls for changes that the system does not report: in folders that do not exist yet, of links on the path, on network drives. */
const POLL_MS = 5_000;
const MAX_BYTES: number = 16 * 1024 * 1024;

export class FileWatch {
  readonly #files: () => readonly string[];
  readonly #clock: Clock;
  readonly #folders: Map<string, FSWatcher> = new Map();
  #digest = '';
  #checks: Promise<void> = Promise.resolve();
  #onChange: (() => void) | undefined;
  #cancelCheck: (() => void) | undefined;
  #cancelPoll: (() => void) | undefined;
  #isClosed = false;

  /** `files` is called for each check, because the files that a module imports can change. */
  constructor(files: () => readonly string[], clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Records the content of the files. Call this before you read them: later changes are reported, including those before `start`. */
  async open(): Promise<void> {
    this.#digest = await this.#read();
  }

  start(onChange: () => void): void {
    this.#onChange = onChange;
    this.#checkSoon();
    this.#pollLater();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelCheck?.();
    this.#cancelPoll?.();
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #pollLater(): void {
    const poll = (): void => {
      this.#checkSoon();
      this.#pollLater();
    };
    this.#cancelPoll = this.#clock.after(POLL_MS, poll, { idle: true });
  }

  #checkSoon(): void {
    if (this.#isClosed || this.#onChange === undefined) return;
    this.#cancelCheck?.();
    this.#cancelCheck = this.#clock.after(DEBOUNCE_MS, () => this.#checkNow(), { idle: true });
  }

  #checkNow(): void {
    this.#checks = this.#checks.then(() => this.#compare());
  }

  async #compare(): Promise<void> {
    const digest = await this.#read();
    if (this.#isClosed || digest === this.#digest) return;
    this.#digest = digest;
    this.#onChange?.();
  }

  async #read(): Promise<string> {
    const hash = createHash('sha256');
    for (const file of this.#files()) {
      this.#watch(dirname(file));
      this.#watch(dirname(await followLinks(file).catch(() => file)));
      // The file can be missing while an editor replaces it.
      const bytes = await readFileBytes(file, { maxBytes: MAX_BYTES }).catch(() => undefined);
      hash.update(`${file}\0`).update(bytes ?? '');
    }
    return hash.digest('hex');
  }

  /** Watches the folder instead of the file, because many editors replace a file when they save it. */
  #watch(folder: string): void {
    if (this.#isClosed || this.#folders.has(folder)) return;
    try {
      // Any change in the folder, because it can be a watched file that is created.
      const watcher = watch(folder, { persistent: false }, () => this.#checkSoon());
      watcher.on('error', () => this.#folders.delete(folder));
      this.#folders.set(folder, watcher);
    } catch {
      // Polling covers the folder until it can be watched.
    }
  }
}
