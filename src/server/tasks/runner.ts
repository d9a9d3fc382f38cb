/** Runs tasks: acquires their leases, replays their handlers and stores the outcomes. Independent of the protocol form of tasks. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import type { StoredTask, TaskOutcome } from '../../model/task-record.ts';
import { Abort } from '../../peer/abort.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { copyTask } from './copy-task.ts';
import { answerTask, endTask, handOverTask, seeTask, takeTask } from './record.ts';
import { replayTask } from './replay-task.ts';
import { internalError, ResultWriter, type RunResult } from './result-writer.ts';
import { RunDeadlines } from './run-deadlines.ts';
import { readTaskTimes } from './settings.ts';
import { SuspectTask } from './suspect-task.ts';
import type { TaskCore } from './task-core.ts';
import { hasRecordSize, MAX_RECORD_LENGTH } from './task-records.ts';
import { TaskLost, TaskRun, type TaskRunContext } from './task-run.ts';

/** Queued tasks, which start as soon as a run ends. Beyond that, `TaskRecovery` finds them. */
const MAX_WAITING = 10_000;

export class TaskRunner {
  /** The name of this process in leases. */
  readonly by: string = crypto.randomUUID();
  readonly active: Map<string, TaskRun> = new Map();
  readonly #core: TaskCore;
  readonly #runContext: TaskRunContext;
  readonly #results: ResultWriter;
  readonly #deadlines: RunDeadlines;
  /** Tasks whose calls are getting their responses: they run in the next turn. */
  readonly #answered: StoredTask[] = [];
  /** Tasks that have a reserved slot, but no run yet. */
  readonly #beginning: Set<string> = new Set();
  /** Tasks that are queued until a slot is free. */
  readonly #waiting: Set<string> = new Set();
  readonly suspect: SuspectTask = new SuspectTask();
  isClosed = false;

  constructor(core: TaskCore) {
    this.#core = core;
    const results = new ResultWriter(core);
    const deadlines = new RunDeadlines(core, { active: this.active, end: (run, outcome) => results.end(run, outcome) });
    this.#results = results;
    this.#deadlines = deadlines;
    this.#runContext = { ...core, onExpired: (run) => void deadlines.expire(run) };
  }

  get isFull(): boolean {
    return this.active.size + this.#beginning.size >= this.#core.tasks.maxRunning;
  }

  /** Reserves a slot, which `run` uses or `release` frees. Without a free slot, queues the task and returns false. */
  reserve(id: string): boolean {
    const hasSlot = !this.isFull;
    if (hasSlot) this.#beginning.add(id);
    else if (this.#waiting.size < MAX_WAITING) this.#waiting.add(id);
    return hasSlot;
  }

  release(id: string): void {
    this.#beginning.delete(id);
    this.#waiting.delete(id);
    this.#startNext();
  }

  get now(): number {
    return this.#core.settings.clock.wall();
  }

  /** Whether this process runs the task. False for a run that was stopped, also if its handler ignores that. */
  isRunning(id: string): boolean {
    return this.active.get(id)?.abort.aborted === false;
  }

  /** Acquires and runs a task if it is due, this process has its tool, and a slot is free. */
  async take(id: string): Promise<void> {
    if (this.isRunning(id) || this.#beginning.has(id) || this.isClosed) return;
    const { records, tasks, catalogue } = this.#core;
    const hasSlot = this.reserve(id);
    let taken: StoredTask | undefined;
    try {
      taken = await records.change(id, (task) => {
        const { by, now } = this;
        const canRun = hasSlot && catalogue.tools.has(task.tool) && this.suspect.canRun(task);
        // A task past its deadline is only ended, which needs neither slot nor tool.
        if (!canRun && task.endsAt > now) return undefined;
        return takeTask(task, { by, now, times: readTaskTimes(catalogue, task.tool), ...tasks });
      });
    } finally {
      if (taken?.lease === undefined) this.suspect.trust(id);
      if (hasSlot ? taken?.lease === undefined : taken?.outcome !== undefined) this.release(id);
    }
    // A copy: what the handler does with it must not change the record.
    if (taken?.lease !== undefined) await this.run(copyTask(taken));
  }

  /** Runs a task that this process holds in the next turn, when its call has its response. */
  runNext(task: StoredTask): void {
    if (this.#answered.push(task) > 1) return;
    void nextTurn().then(() => {
      for (const one of this.#answered.splice(0)) void this.run(one);
    });
  }

  /** Runs a task that this process holds, from the top. */
  run(task: StoredTask): Promise<void> | undefined {
    // Cancelled before its first turn, or running already.
    if (!this.#beginning.delete(task.id) || this.isRunning(task.id)) return undefined;
    const run = this.track(task);
    return this.follow(run, replayTask(run, this.#core));
  }

  /** Registers a run of this task in this process. Its lease is renewed until `follow` has finished. */
  track(task: StoredTask, abort: Abort = new Abort()): TaskRun {
    const run = new TaskRun(task, abort, this.#runContext);
    this.active.set(task.id, run);
    if (this.isClosed) run.stop('The server closes');
    return run;
  }

  /** Awaits the response of a run, and stores the outcome or the questions. */
  async follow(run: TaskRun, response: Promise<JsonObject>): Promise<void> {
    const { id } = run.task;
    this.#deadlines.limit(run, run.task);
    let written: StoredTask | undefined;
    try {
      let result: RunResult;
      try {
        result = toRunResult(await response);
      } catch (thrown) {
        result = this.#toFailure(run, thrown);
      }
      // Awaiting a value that is not a promise would cost each task a turn.
      const settled = run.abort.aborted ? undefined : this.#results.write(run, result);
      written = settled instanceof Promise ? await settled : settled;
    } catch (thrown) {
      if (!(thrown instanceof TaskLost)) this.#core.settings.report(thrown, `a task of tool "${run.task.tool}"`);
    } finally {
      this.#deadlines.armed.disarm(run);
      // Unless another run of the task has replaced this one, because it was stopped.
      if (this.active.get(id) === run) {
        this.active.delete(id);
        this.suspect.trust(id);
      }
      this.#startNext();
    }
    const isOver = written?.outcome !== undefined;
    const after = isOver ? written : await this.#core.records.find(id).catch(() => undefined);
    if (after?.outcome !== undefined) this.#core.outlets.delete(id);
    else if (after?.lease === undefined && (after?.dueAt ?? Number.POSITIVE_INFINITY) <= this.now)
      void this.#takeSafely(id);
  }

  #startNext(): void {
    if (this.#waiting.size === 0 || this.isFull) return;
    const [next = ''] = this.#waiting;
    this.#waiting.delete(next);
    void this.#takeSafely(next);
  }

  async #takeSafely(id: string): Promise<void> {
    await this.take(id).catch((thrown: unknown) => this.#core.settings.report(thrown, 'running a task'));
  }

  #toFailure(run: TaskRun, thrown: unknown): TaskOutcome {
    if (run.abort.aborted) throw run.abort.reason;
    if (thrown instanceof RpcError) {
      const { code, message, data } = thrown;
      return { error: data === undefined ? { code, message } : { code, message, data } };
    }
    const id = this.#core.settings.report(thrown, `tool "${run.task.tool}"`);
    return internalError(`Internal error (${id})`);
  }

  async answer(id: string, answers: Readonly<Record<string, JsonObject>>): Promise<void> {
    const { records, catalogue } = this.#core;
    const answered = await records.grow(id, (one) => {
      const next = answerTask(one, answers, this.now, readTaskTimes(catalogue, one.tool));
      if (next === undefined || hasRecordSize(next)) return next;
      throw new RpcError(
        INVALID_PARAMS,
        `The answers are too large: a task holds ${MAX_RECORD_LENGTH} characters of answers and results`,
      );
    });
    if (answered !== undefined && answered.lease === undefined) void this.#takeSafely(id);
  }

  /** Cancels a task. Returns the ended record; undefined if the task had ended before. */
  async cancel(task: StoredTask): Promise<StoredTask | undefined> {
    const { records, catalogue } = this.#core;
    const ended = await records.change(task.id, (one) =>
      endTask(one, { cancelled: true }, this.now, readTaskTimes(catalogue, one.tool)),
    );
    if (ended !== undefined) {
      this.active.get(task.id)?.stop('The task was cancelled');
      this.release(task.id);
    }
    return ended;
  }

  /** Records that the caller requested its task. */
  see(task: StoredTask, auth: AuthInfo | undefined): StoredTask | Promise<StoredTask> {
    return seeTask(task, this.now, auth) === undefined ? task : this.#see(task, auth);
  }

  async #see(task: StoredTask, auth: AuthInfo | undefined): Promise<StoredTask> {
    const seen = await this.#core.records.change(task.id, (one) => seeTask(one, this.now, auth));
    if (seen !== undefined && seen.dueAt <= this.now) void this.#takeSafely(task.id);
    return seen ?? task;
  }

  /** Stops all runs, and hands their tasks over to other processes. If the store fails, these wait until the lease has expired. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { records, settings } = this.#core;
    const handOver = async (run: TaskRun): Promise<void> => {
      run.stop('The server closes');
      try {
        await records.change(run.task.id, (one) => handOverTask(one, run.holder, this.now));
      } catch (thrown) {
        settings.report(thrown, 'handing over a task');
      }
    };
    await Promise.all([...this.active.values()].map(handOver));
  }
}

const toRunResult = (result: JsonObject): RunResult =>
  result['resultType'] === 'input_required' ? 'suspended' : { result };
