/** Ends runs at the deadline of their task, or when the authorization of its caller expires. One timer for all runs. */
import type { StoredTask, TaskOutcome } from '../../model/task-record.ts';
import { Deadlines } from '../../peer/deadlines.ts';
import type { NowOrLater } from './now-or-later.ts';
import { hasExpiredAuth, isHeldBy } from './record.ts';
import { internalError } from './result-writer.ts';
import type { TaskCore } from './task-core.ts';
import type { TaskRun } from './task-run.ts';
import { STORE_PAUSE_MS } from './write-again.ts';

interface DeadlineContext {
  readonly active: ReadonlyMap<string, TaskRun>;
  /** Stores the outcome of a run. */
  end(run: TaskRun, outcome: TaskOutcome): NowOrLater<unknown>;
}

export class RunDeadlines {
  readonly armed: Deadlines<TaskRun>;
  readonly #core: TaskCore;
  readonly #context: DeadlineContext;

  constructor(core: TaskCore, context: DeadlineContext) {
    this.armed = new Deadlines(core.settings.clock);
    this.#core = core;
    this.#context = context;
  }

  /** Limits the time of a run to that of its record. */
  limit(run: TaskRun, { endsAt, auth }: StoredTask): void {
    const { settings, tasks } = this.#core;
    const authEnds = tasks.outliveAuth ? undefined : auth?.expiresAt;
    run.due = settings.clock.now() + Math.min(endsAt, authEnds ?? endsAt) - settings.clock.wall();
    this.armed.arm(run);
  }

  /** Ends the task at its deadline, even if its handler ignores the abort signal. Tries again if the store fails. */
  async expire(run: TaskRun): Promise<void> {
    const { records, tasks, settings } = this.#core;
    const { active, end } = this.#context;
    const { id } = run.task;
    try {
      const task = await records.find(id);
      if (task === undefined || !isHeldBy(task, run.holder))
        return run.stop('Another process has the task, or it has ended');
      const now = settings.clock.wall();
      // Those of the record: answers extend the time, and the caller can have come back with a newer authorization.
      const isOver = hasExpiredAuth(task.auth, now) && !tasks.outliveAuth;
      if (task.endsAt > now && !isOver) {
        if (active.get(id) === run) this.limit(run, task);
        return;
      }
      const message = isOver ? 'The authorization of the caller has expired' : 'The task took too long';
      await end(run, internalError(message));
      run.stop(message);
    } catch {
      if (active.get(id) !== run) return;
      run.due = settings.clock.now() + STORE_PAUSE_MS;
      this.armed.arm(run);
    }
  }
}
