/** A task that may be what ends its process: one runs at a time, because with it all others are cut short once more. */
import type { StoredTask } from '../../model/task-record.ts';

/** So often it was cut short without progress. */
const MANY_INTERRUPTIONS = 3;

export class SuspectTask {
  #id: string | undefined;

  /** Whether the task may run now. If not, it is still due when the one before it has ended. */
  mayRun({ id, lease, interruptions }: StoredTask): boolean {
    if (lease === undefined || interruptions + 1 < MANY_INTERRUPTIONS) return true;
    this.#id ??= id;
    return this.#id === id;
  }

  /** It has not ended this process so far. */
  trust(id: string): void {
    if (this.#id === id) this.#id = undefined;
  }
}
