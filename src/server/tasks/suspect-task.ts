/** Isolates tasks that may crash the process: only one of them runs at a time, because a crash interrupts all other tasks too. */
import type { StoredTask } from '../../model/task-record.ts';

/** A task that was interrupted this often without progress is a suspect. */
const MANY_INTERRUPTIONS = 3;

export class SuspectTask {
  #id: string | undefined;

  /** Whether the task can run now. If not, it stays due until the current suspect has ended. */
  canRun({ id, lease, interruptions }: StoredTask): boolean {
    if (lease === undefined || interruptions + 1 < MANY_INTERRUPTIONS) return true;
    this.#id ??= id;
    return this.#id === id;
  }

  /** Clears the suspicion: the task has not crashed this process. */
  trust(id: string): void {
    if (this.#id === id) this.#id = undefined;
  }
}
