/** Polls for due tasks (interrupted runs, questions answered in other processes, expired tasks), and renews the leases of this process. */
import type { StoredTask } from '../../model/task-record.ts';
import { parkTask, postponeTask } from './record.ts';
import type { TaskRunner } from './runner.ts';
import type { TaskCore } from './task-core.ts';

/** The polling interval, unless leases are shorter. */
const POLL_MS = 1_000;
/** Records per batch. */
const AT_ONCE = 500;

export class TaskRecovery {
  readonly #core: TaskCore;
  readonly #runner: TaskRunner;
  readonly #renewMs: number;
  #stops: readonly (() => void)[] = [];
  #isStopped = false;

  constructor(core: TaskCore, runner: TaskRunner) {
    this.#core = core;
    this.#runner = runner;
    this.#renewMs = core.tasks.leaseMs / 3;
  }

  /** Starts two timers for all tasks: a slow search must not let leases expire. With `isIdle`, they do not keep the process alive. */
  start(isIdle: boolean): void {
    for (const stop of this.#stops) stop();
    this.#stops = [
      this.#repeat(this.#renewMs, () => this.#renew(), isIdle),
      this.#repeat(Math.min(POLL_MS, this.#renewMs), () => this.recover(), isIdle),
    ];
  }

  stop(): void {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
  }

  /** Repeats the work, with this pause after each time. Returns a function that stops it. */
  #repeat(ms: number, work: () => Promise<void>, isIdle: boolean): () => void {
    const { settings } = this.#core;
    let isStopped = false;
    let stop = (): void => undefined;
    const next = (): void => {
      if (isStopped) return;
      stop = settings.clock.after(
        ms,
        () =>
          void work()
            .catch((thrown: unknown) => settings.report(thrown, 'looking for tasks'))
            .then(next),
        isIdle ? { idle: true } : undefined,
      );
    };
    next();
    return () => {
      isStopped = true;
      stop();
    };
  }

  /** Renews the leases of this process. */
  async #renew(): Promise<void> {
    const { records, tasks } = this.#core;
    const runner = this.#runner;
    await Promise.all(
      [...runner.active].map(async ([id, run]) => {
        // A run that was stopped has lost its task, even if its handler still runs.
        if (run.abort.aborted) return;
        const until = runner.now + tasks.leaseMs;
        // While the store cannot be reached, the run continues until its lease ends: no other process can get the task before.
        const isHeld = await Promise.resolve(records.store.renew(id, run.holder, until)).catch(() =>
          run.until > runner.now ? undefined : false,
        );
        if (isHeld === true) {
          run.until = until;
          runner.suspect.trust(id);
        }
        if (isHeld === false && runner.active.get(id) === run) run.stop('Another process has the task');
      }),
    );
  }

  /** Handles all due tasks. Does not wait for the runs that it starts. */
  async recover(): Promise<void> {
    const { records } = this.#core;
    const runner = this.#runner;
    // Repeats as long as it deletes: deletion must be as fast as creation. Tasks that stay due are handled the next time.
    for (let deleted = AT_ONCE; deleted > 0; ) {
      const due = await records.store.due(runner.now, AT_ONCE);
      deleted = 0;
      for (const task of due) {
        if (this.#isStopped) return;
        if (task.outcome !== undefined) {
          // A store can find ids before it reads the records: a task that ended in between must not be deleted yet.
          if (task.dueAt > runner.now) continue;
          await records.store.delete(task.id);
          deleted++;
        } else if (!runner.isRunning(task.id)) await this.#recoverTask(task);
      }
      if (due.length < AT_ONCE) return;
    }
  }

  async #recoverTask(task: StoredTask): Promise<void> {
    const { records, settings, catalogue, tasks } = this.#core;
    const runner = this.#runner;
    const { now } = runner;
    const isOver = task.endsAt <= now;
    if (!isOver && !task.isSeen && task.lease !== undefined) {
      await records.change(task.id, (one) => parkTask(one, runner.now));
    } else if (!isOver && !catalogue.tools.has(task.tool)) {
      // A process without the tool leaves the task to one that has it.
      await records.change(task.id, (one) => postponeTask(one, runner.now, now + tasks.leaseMs));
    } else if (isOver || !runner.isFull) {
      void runner.take(task.id).catch((thrown: unknown) => settings.report(thrown, 'running a task'));
    }
  }
}
