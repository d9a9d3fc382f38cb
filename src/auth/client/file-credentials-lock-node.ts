/** Lets one process at a time change a file. A lock that its holder left behind is broken by whoever waits for it. */
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Clock } from '../../peer/clock.ts';
import { codeOf, unusable } from './file-credentials-disk-node.ts';

/** A change takes milliseconds: whoever holds the lock this long is gone. */
const STALE_MS = 10_000;
const WAIT_MS = 20_000;
const LOOK_MS = 10;
const HELD = 'others hold this lock; if no other process runs, remove it and what begins like it';

export class FileLock {
  readonly #path: string;
  readonly #clock: Clock;

  constructor(path: string, clock: Clock) {
    this.#path = `${path}.lock`;
    this.#clock = clock;
  }

  /**
   * Work is told how to find out whether it still holds the lock, which a process that was stopped for long may not. It says whether
   * it could be done; if not, it is done again.
   */
  async hold(work: (stillHeld: () => Promise<boolean>) => Promise<boolean>): Promise<void> {
    const mine = randomUUID();
    const stillHeld = async (): Promise<boolean> => (await textOf(this.#path)) === mine;
    for (let done = false; !done; ) {
      await this.#take(mine);
      try {
        done = await work(stillHeld);
      } finally {
        if (await stillHeld()) await rm(this.#path, { force: true });
      }
    }
  }

  async #take(mine: string): Promise<void> {
    const began = this.#clock.now();
    let holder: { readonly text: string | undefined; readonly since: number } = { text: undefined, since: began };
    while (!(await made(this.#path, mine))) {
      const now = this.#clock.now();
      const text = await textOf(this.#path);
      if (holder.text !== text) holder = { text, since: now };
      if (text === undefined) continue;
      if (now - holder.since >= STALE_MS && (await this.#broken(text))) continue;
      if (now - began >= WAIT_MS) throw unusable(this.#path, HELD);
      await new Promise<void>((resolve) => void this.#clock.after(LOOK_MS, resolve));
    }
  }

  /** One at a time: otherwise one could remove the fresh lock that another made after removing the stale one. */
  async #broken(stale: string): Promise<boolean> {
    const breaking = `${this.#path}.breaking`;
    if (!(await made(breaking, stale))) return false;
    try {
      if ((await textOf(this.#path)) === stale) await rm(this.#path, { force: true });
      return true;
    } finally {
      await rm(breaking, { force: true });
    }
  }
}

/** False when the file is there already. */
async function made(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw unusable(path, `the system says ${codeOf(error) ?? 'that it cannot be made'}`, error);
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable(path, `the system says ${codeOf(error) ?? 'that it cannot be read'}`, error);
  }
}
