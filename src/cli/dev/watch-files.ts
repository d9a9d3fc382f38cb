/** Watches a module and the files of its own that it imports. */
import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { readFileBytesSync } from '../../files/read-file.ts';
import type { Clock } from '../../peer/clock.ts';
import { localFiles, MAX_SOURCE_BYTES } from '../module/local-files.ts';

/** An editor writes a file in more than one step, and more than one file. */
const SETTLED_MS = 100;

export class FileWatch {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #folders: Map<string, FSWatcher> = new Map();
  #digest = '';
  #cancel: (() => void) | undefined;

  constructor(file: string, clock: Clock, changed: () => void) {
    this.#file = file;
    this.#clock = clock;
    this.#changed = changed;
    this.#look();
  }

  close(): void {
    this.#cancel?.();
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  /** Folders, not files: many editors put a new file in place of the old one. */
  #look(): boolean {
    const files = localFiles(this.#file);
    for (const folder of new Set(files.map((file) => dirname(file)))) {
      if (this.#folders.has(folder)) continue;
      // Whatever changes there: a file that was missing may be the one that appears.
      const watcher = watch(folder, () => this.#touched());
      watcher.on('error', () => this.#folders.delete(folder));
      this.#folders.set(folder, watcher);
    }
    const before = this.#digest;
    this.#digest = digestOf(files);
    return this.#digest !== before;
  }

  #touched(): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(SETTLED_MS, () => {
      // What is none of the module's, and what was saved without a change, is no change.
      if (this.#look()) this.#changed();
    });
  }
}

function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${file}\0`);
    try {
      hash.update(readFileBytesSync(file, { maxBytes: MAX_SOURCE_BYTES }) ?? '');
    } catch {
      // Between two steps of an editor it is not there.
    }
  }
  return hash.digest('hex');
}
