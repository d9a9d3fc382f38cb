/** Watches files, and reports when what they contain has changed. */
import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../peer/clock.ts';
import { readFileBytes } from './read-file.ts';
import { followLinks } from './replace-file.ts';

/** An editor writes a file in more than one step, and more than one file. */
const SETTLED_MS = 100;
/** For what no folder reports: a folder that does not exist yet, a link that is switched on the way to it, a network drive. */
const POLL_MS = 5_000;
const MAX_BYTES: number = 16 * 1024 * 1024;

export class FileWatch {
  readonly #files: () => readonly string[];
  readonly #clock: Clock;
  readonly #folders: Map<string, FSWatcher> = new Map();
  #digest = '';
  #looking: Promise<void> = Promise.resolve();
  #changed: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;
  #cancelPoll: (() => void) | undefined;
  #isClosed = false;

  /** `files` is asked at each look: those that a module imports change with it. */
  constructor(files: () => readonly string[], clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Remembers what the files contain. Each later change is reported, also one before `start`: call this before you read them. */
  async open(): Promise<void> {
    this.#digest = await this.#read();
  }

  start(changed: () => void): void {
    this.#changed = changed;
    this.#lookNow();
    this.#pollLater();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelLook?.();
    this.#cancelPoll?.();
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #pollLater(): void {
    const poll = (): void => {
      this.#lookSoon();
      this.#pollLater();
    };
    this.#cancelPoll = this.#clock.after(POLL_MS, poll, { idle: true });
  }

  #lookSoon(): void {
    if (this.#isClosed || this.#changed === undefined) return;
    this.#cancelLook?.();
    this.#cancelLook = this.#clock.after(SETTLED_MS, () => this.#lookNow(), { idle: true });
  }

  #lookNow(): void {
    this.#looking = this.#looking.then(() => this.#compare());
  }

  async #compare(): Promise<void> {
    const digest = await this.#read();
    if (this.#isClosed || digest === this.#digest) return;
    this.#digest = digest;
    this.#changed?.();
  }

  async #read(): Promise<string> {
    const hash = createHash('sha256');
    for (const file of this.#files()) {
      this.#watch(dirname(file));
      this.#watch(dirname(await followLinks(file).catch(() => file)));
      // Between two steps of an editor it can be missing.
      const bytes = await readFileBytes(file, { maxBytes: MAX_BYTES }).catch(() => undefined);
      hash.update(`${file}\0`).update(bytes ?? '');
    }
    return hash.digest('hex');
  }

  /** The folder, not the file: many editors replace a file by another one. */
  #watch(folder: string): void {
    if (this.#isClosed || this.#folders.has(folder)) return;
    try {
      // Whatever changes there: a file that was missing can be the one that appears.
      const watcher = watch(folder, { persistent: false }, () => this.#lookSoon());
      watcher.on('error', () => this.#folders.delete(folder));
      this.#folders.set(folder, watcher);
    } catch {
      // Polled until it can be watched.
    }
  }
}
