/** Stores how a run ended: its outcome, or the questions that suspended it. */
import { messageOf } from '../../errors.ts';
import { INTERNAL_ERROR } from '../../jsonrpc/message.ts';
import type { StoredTask, TaskOutcome } from '../../model/task-record.ts';
import type { NowOrLater } from './now-or-later.ts';
import { endTask, isHeldBy, releaseTask, suspendTask, type TaskChange } from './record.ts';
import { readTaskTimes } from './settings.ts';
import type { TaskCore } from './task-core.ts';
import { requireRecordSize } from './task-records.ts';
import type { TaskRun } from './task-run.ts';
import { isRejection, writeAgain, writeSafely } from './write-again.ts';

/** How a run ended: with an outcome, or suspended by the questions that the run holds. */
export type RunResult = TaskOutcome | 'suspended';

export class ResultWriter {
  readonly #core: TaskCore;

  constructor(core: TaskCore) {
    this.#core = core;
  }

  /** Stores how a run ended. Returns the record if the task has ended. */
  write(run: TaskRun, result: RunResult): NowOrLater<StoredTask | undefined> {
    if (run.isPlain && result !== 'suspended') return this.#endSafely(run, result);
    return this.#writeAfterSteps(run, result);
  }

  async #writeAfterSteps(run: TaskRun, result: RunResult): Promise<StoredTask | undefined> {
    await run.flush();
    if (result === 'suspended') return this.#suspend(run);
    await run.settled();
    return this.#endSafely(run, result);
  }

  #endSafely(run: TaskRun, outcome: TaskOutcome): NowOrLater<StoredTask | undefined> {
    const again = (thrown: unknown): Promise<StoredTask | undefined> => this.#endAgain(run, outcome, thrown);
    try {
      const ended = this.end(run, outcome);
      return ended instanceof Promise ? ended.catch(again) : ended;
    } catch (thrown) {
      return again(thrown);
    }
  }

  /** Stores an outcome whose first write failed. An outcome that cannot be stored fails the task with the reason. */
  async #endAgain(run: TaskRun, outcome: TaskOutcome, thrown: unknown): Promise<StoredTask | undefined> {
    const { settings } = this.#core;
    let fault = jsonFault(outcome);
    try {
      if (fault === undefined) return await writeAgain(thrown, () => this.end(run, outcome), settings.clock, run);
    } catch (failure) {
      if (run.abort.aborted) throw failure;
      // The caller must not see the error of the store.
      const internal = (): string => `Internal error (${settings.report(failure, 'storing the outcome of a task')})`;
      fault = isRejection(failure) ? failure.message : internal();
    }
    return this.end(run, internalError(fault));
  }

  async #suspend(run: TaskRun): Promise<undefined> {
    const { records, settings, catalogue } = this.#core;
    const { clock } = settings;
    const { task, holder, questions } = run;
    const suspension = questions.memory.suspension(questions);
    const times = readTaskTimes(catalogue, task.tool);
    const change = (next: TaskChange): Promise<unknown> => writeSafely(() => records.change(task.id, next), clock, run);
    await change((one) => suspendTask(one, holder, suspension, clock.wall(), times));
    // Steps that the handler did not await still run. Another run must not begin before they are recorded.
    await run.settled();
    await change((one) => releaseTask(one, holder, clock.wall(), task.answers.length));
  }

  end({ task, holder }: Pick<TaskRun, 'task' | 'holder'>, outcome: TaskOutcome): NowOrLater<StoredTask | undefined> {
    const { records, settings, catalogue } = this.#core;
    const change = (one: StoredTask): StoredTask | undefined =>
      isHeldBy(one, holder)
        ? requireRecordSize(endTask(one, outcome, settings.clock.wall(), readTaskTimes(catalogue, task.tool)))
        : undefined;
    return records.change(task.id, change, task);
  }
}

/** Why JSON cannot express an outcome; undefined if it can. */
function jsonFault(outcome: TaskOutcome): string | undefined {
  try {
    JSON.stringify(outcome);
    return undefined;
  } catch (cause) {
    return messageOf(cause);
  }
}

export const internalError = (message: string): TaskOutcome => ({ error: { code: INTERNAL_ERROR, message } });
