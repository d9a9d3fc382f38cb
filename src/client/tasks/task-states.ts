/** Distributes the states of a task to any number of readers, and converts them to progress. */
import type { TaskState } from '../../revisions/tasks/form.ts';
import type { Progress } from '../outgoing-call.ts';
import type { ClientTaskState } from './task.ts';

/** The protocol has no numbers for the progress of a task; some servers start the message with them, such as "12 of 40 frames". */
const COUNT = /^(\d{1,15}) of (\d{1,15})\b/;

export function toState({ status, message }: Pick<TaskState, 'status' | 'message'>): ClientTaskState {
  const [, progress, total] = COUNT.exec(message ?? '') ?? [];
  return {
    status,
    ...(message === undefined ? {} : { message }),
    ...(progress === undefined ? {} : { progress: { progress: Number(progress), total: Number(total) } }),
  };
}

/** Converts a state to progress; undefined without message and numbers. `count` is the progress if the state has no number. */
export function toProgress({ message, progress }: ClientTaskState, count: number): Progress | undefined {
  if (message === undefined && progress === undefined) return undefined;
  return { progress: count, ...progress, ...(message === undefined ? {} : { message }) };
}

export class StateFeed {
  #state: ClientTaskState | undefined;
  #version = 0;
  readonly #readers: Set<() => void> = new Set();

  push(state: ClientTaskState): void {
    this.#state = state;
    this.#version++;
    for (const wake of this.#readers) wake();
  }

  /** Yields the latest state and later ones until `done` settles. Then throws its rejection, unless the task has ended. */
  async *read(done: Promise<unknown>, hasEnded: () => boolean): AsyncGenerator<ClientTaskState, void, undefined> {
    let failure: { readonly reason: unknown } | undefined;
    let isDone = false;
    const settled = done
      .catch((reason: unknown) => {
        failure = { reason };
      })
      .then(() => {
        isDone = true;
      });
    for (let seen = 0; ; ) {
      if (this.#version > seen && this.#state !== undefined) {
        seen = this.#version;
        yield this.#state;
      } else if (isDone) break;
      else await Promise.race([settled, this.#next()]);
    }
    if (failure !== undefined && !hasEnded()) throw failure.reason;
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#readers.delete(wake);
        resolve();
      };
      this.#readers.add(wake);
    });
  }
}
