/** One run of a task's handler in this process. Writes what the handler does to the record, while the run holds the task. */
import type { RpcNotification } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { PROGRESS } from '../../model/names.ts';
import type { StoredTask, TaskHolder } from '../../model/task-record.ts';
import type { Abort } from '../../peer/abort.ts';
import type { Deadline } from '../../peer/deadlines.ts';
import type { Link } from '../../peer/exchange.ts';
import { type HandlerRun, ReplayedCall } from '../../revisions/asks/replay.ts';
import type { Revision } from '../../revisions/contract.ts';
import { revisions } from '../../revisions/index.ts';
import { type TaskChange, withTaskProgress } from './record.ts';
import type { TaskCore } from './task-core.ts';
import { TaskMemory } from './task-memory.ts';
import { TaskProgress } from './task-progress.ts';
import { writeSafely } from './write-again.ts';

/** The abort reason of a run that no longer holds its task. Its further changes are not written. */
export class TaskLost extends Error {
  override readonly name = 'TaskLost';
}

export interface TaskRunContext extends TaskCore {
  /** Called at the deadline of a run. */
  readonly onExpired: (run: TaskRun) => void;
}

/** The run, its deadline and the link of its handler in one object. Members that few runs need are created on first use. */
export class TaskRun implements HandlerRun, Deadline {
  readonly task: StoredTask;
  readonly holder: TaskHolder;
  /** When the lease of this process expires. */
  until: number;
  readonly abort: Abort;
  due = 0;
  place = -1;
  /** Sends notifications to the caller while its conversation is open. */
  outlet: Pick<Link, 'notify'> | undefined;
  readonly #context: TaskRunContext;
  #questions: ReplayedCall<TaskMemory> | undefined;
  #progress: TaskProgress | undefined;

  constructor(task: StoredTask, abort: Abort, context: TaskRunContext) {
    this.#context = context;
    this.task = task;
    this.abort = abort;
    this.until = task.lease?.until ?? 0;
    this.holder = { by: task.lease?.by ?? '', run: task.runs };
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  get auth(): AuthInfo | undefined {
    return this.task.auth;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.abort.onAbort(listener);
  }

  notify(notification: RpcNotification): void {
    this.recordProgress(notification);
    this.outlet?.notify(notification);
  }

  get id(): string {
    return this.task.id;
  }

  /** Does nothing: the call is a task already. */
  async detach(): Promise<void> {}

  expire(): void {
    this.#context.onExpired(this);
  }

  get what(): string {
    return `tool "${this.task.tool}"`;
  }

  get fence(): number {
    return this.task.runs;
  }

  warn(warning: string): void {
    this.#context.settings.warnings.once(warning);
  }

  get questions(): ReplayedCall<TaskMemory> {
    const { task, holder } = this;
    this.#questions ??= new ReplayedCall(
      new TaskMemory({ task, holder, revision: revisionOf(task), write: (change) => this.#write(change) }),
      this,
      task.steps,
    );
    return this.#questions;
  }

  /** True if the run has not asked a question, recorded a step or reported progress. */
  get isPlain(): boolean {
    return this.#questions === undefined && this.#progress === undefined;
  }

  /** Resolves when the last progress report is written. */
  flush(): Promise<void> | undefined {
    return this.#progress?.flush();
  }

  /** Resolves when the steps of the run have settled. */
  settled(): Promise<void> | undefined {
    return this.#questions?.settled();
  }

  /** Stores the progress that a notification of the handler reports. Other notifications are ignored. */
  recordProgress({ method, params }: RpcNotification): void {
    if (method !== PROGRESS || this.abort.aborted) return;
    const { progress, total, message } = params ?? {};
    const known = typeof total === 'number' ? total : undefined;
    this.#progress ??= this.#createProgress();
    this.#progress.report(Number(progress), known, typeof message === 'string' ? message : undefined);
  }

  #createProgress(): TaskProgress {
    const { records, settings } = this.#context;
    return new TaskProgress(settings.clock, (report) =>
      records.change(this.task.id, (one) => withTaskProgress(one, this.holder, report, settings.clock.wall())),
    );
  }

  stop(why: string): void {
    this.abort.abort(new TaskLost(why));
  }

  async #write(change: TaskChange): Promise<void> {
    const { records, settings } = this.#context;
    const written = await writeSafely(() => records.grow(this.task.id, change), settings.clock, this);
    if (written !== undefined) return;
    this.stop('Another process has the task, or it has ended');
    throw this.abort.reason;
  }
}

/** Handlers of tasks run in the newest revision. Their results are encoded for the client that reads them. */
export const newest = revisions[0] as Revision; // there is one

/** The revision that has this form of tasks. It determines what the caller can be asked. */
const revisionOf = ({ form }: Pick<StoredTask, 'form'>): Revision =>
  revisions.find(({ tasks }) => tasks?.name === form) ?? newest;
