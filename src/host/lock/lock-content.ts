/** The content of a lock file: read, and changed together with the other processes that edit it. */
import { whileLocked } from '../../files/file-lock.ts';
import type { Clock } from '../../peer/clock.ts';
import { Deferred } from '../../peer/wait.ts';
import { throwFileError } from '../act/file-error.ts';
import { type LockedServers, LockSizes, readLock, writeLock } from './lock-file.ts';

export type LockChange = (servers: LockedServers) => LockedServers;

interface WaitingChange extends Deferred<void> {
  readonly apply: LockChange;
}

export interface LockContentOptions {
  /** Without it, the content is kept in memory. */
  readonly path: string | undefined;
  readonly clock: Clock;
  readonly onWarning: (warning: string) => void;
  /** Called after the content has changed. */
  readonly onChange: () => void;
}

export class LockContent {
  readonly #options: LockContentOptions;
  #servers: LockedServers = new Map();
  /** Settles when the last read or write so far has ended. */
  #turn: Promise<void> = Promise.resolve();
  /** Changes that the next write makes. */
  #waiting: WaitingChange[] = [];

  constructor(options: LockContentOptions) {
    this.#options = options;
  }

  get servers(): LockedServers {
    return this.#servers;
  }

  async read(): Promise<void> {
    const { path, onWarning } = this.#options;
    if (path !== undefined) this.#servers = await readLock(path, onWarning);
  }

  /** Runs one write or read of the file at a time. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /**
   * Applies the change to the current content of the file, because other hosts and users also edit it. Changes that come during a write
   * share the next one: many servers are listed at once.
   */
  change(apply: LockChange): Promise<void> {
    const waiting = Object.assign(new Deferred<void>(), { apply });
    this.#waiting.push(waiting);
    if (this.#waiting.length === 1) void this.inTurn(() => this.#writeWaiting());
    return waiting.promise;
  }

  async #writeWaiting(): Promise<void> {
    const changes = this.#waiting;
    this.#waiting = [];
    const { path, onChange } = this.#options;
    try {
      this.#servers = path === undefined ? applyAll(this.#servers, changes) : await this.#rewrite(path, changes);
      onChange();
    } catch (error) {
      for (const { reject } of changes) reject(error);
    }
    for (const { resolve } of changes) resolve();
  }

  #rewrite(path: string, changes: readonly WaitingChange[]): Promise<LockedServers> {
    const { clock, onWarning } = this.#options;
    return whileLocked(path, { clock }, async () => {
      const before = await readLock(path, onWarning);
      const after = applyAll(before, changes);
      return writeLock(path, after).then(
        () => after,
        (error: unknown) => writeFitting(path, before, changes, error),
      );
    }).catch(throwFileError(path));
  }
}

const applyAll = (servers: LockedServers, changes: readonly WaitingChange[]): LockedServers =>
  changes.reduce((now, { apply }) => apply(now), servers);

/** Writes without the changes that make the file too large, which are rejected: they must not fail those of other servers. */
async function writeFitting(
  path: string,
  before: LockedServers,
  changes: readonly WaitingChange[],
  error: unknown,
): Promise<LockedServers> {
  if (changes.length === 1) throw error;
  const sizes = new LockSizes();
  let after = before;
  for (const { apply, reject } of changes) {
    const next = apply(after);
    if (sizes.fit(next)) after = next;
    else reject(error);
  }
  await writeLock(path, after);
  return after;
}
