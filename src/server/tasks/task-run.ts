/** One run of a task's handler in this process. What it does goes through the record, for as long as the task is its own. */
import type { RpcNotification } from '../../jsonrpc/message.ts';
import { PROGRESS } from '../../model/names.ts';
import type { StoredTask, TaskHolder } from '../../model/task-record.ts';
import { ReplayedCall } from '../../revisions/asks/replay.ts';
import type { Revision } from '../../revisions/contract.ts';
import type { ServerSettings } from '../settings.ts';
import { type TaskChange, tellProgress } from './record.ts';
import { TaskMemory } from './task-memory.ts';
import { TaskProgress } from './task-progress.ts';
import type { TaskRecords } from './task-records.ts';

/** Another process has the task, or it has ended: nothing that this run still does is written. */
export class TaskLost extends Error {
  override readonly name = 'TaskLost';
}

export interface TaskRunContext {
  readonly task: StoredTask;
  readonly controller: AbortController;
  readonly records: TaskRecords;
  /** The revision that the caller spoke when the task began. */
  readonly revision: Revision;
  readonly settings: ServerSettings;
}

export class TaskRun {
  readonly task: StoredTask;
  readonly holder: TaskHolder;
  readonly questions: ReplayedCall<TaskMemory>;
  readonly progress: TaskProgress;
  /** Until when this process is believed to work on it. */
  until: number;
  readonly #controller: AbortController;
  readonly #records: TaskRecords;

  constructor({ task, controller, records, revision, settings }: TaskRunContext) {
    const { lease, runs: run, id } = task;
    this.task = task;
    this.until = lease?.until ?? 0;
    this.#controller = controller;
    this.#records = records;
    const holder = { by: lease?.by ?? '', run };
    this.holder = holder;
    const { clock, warnings } = settings;
    this.progress = new TaskProgress(clock, (news) =>
      records.change(id, (one) => tellProgress(one, holder, news, clock.wall())),
    );
    const memory = new TaskMemory({ task, holder, revision, write: (change) => this.#write(change) });
    const { signal } = controller;
    const warn = (warning: string): void => warnings.once(warning);
    this.questions = new ReplayedCall(memory, { what: `tool "${task.tool}"`, fence: run, signal, warn }, task.steps);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A notification of the handler: of progress, the record keeps the last one. */
  hear({ method, params }: RpcNotification): void {
    if (method !== PROGRESS || this.signal.aborted) return;
    const { progress, total, message } = params ?? {};
    const known = typeof total === 'number' ? total : undefined;
    this.progress.tell(Number(progress), known, typeof message === 'string' ? message : undefined);
  }

  stop(why: string): void {
    this.#controller.abort(new TaskLost(why));
  }

  async #write(change: TaskChange): Promise<void> {
    if ((await this.#records.change(this.task.id, change)) !== undefined) return;
    this.stop('Another process has the task, or it has ended');
    throw this.signal.reason;
  }
}
