/** Task options of a tool, and of a server. */
import type { TaskStore } from '../../model/task-record.ts';

/** How a tool runs as a task. */
export interface TaskSpec {
  /** Rejects clients that do not support tasks, instead of making them wait. */
  readonly required?: boolean;
  /**
   * When the caller gets its handle: at once (default), after `afterMs` of work, or when the handler calls `ctx.detach()`. Questions
   * before that are rounds of the call, questions after it belong to the task.
   */
  readonly begins?: 'at once' | 'on detach' | { readonly afterMs: number };
  /** Time limit of the work; an hour by default. */
  readonly runMs?: number;
  /** How long a question can stay open; a day by default. */
  readonly askMs?: number;
  /** How long the outcome is kept; 15 minutes by default. */
  readonly keepMs?: number;
  /** The interval at which clients should poll; one second by default. */
  readonly pollMs?: number;
  /**
   * Whether a run that a crash interrupted can be run again from the top. By default only if that is harmless: with `effects: 'read'` or
   * `idempotent`. A task that waits for an answer is not interrupted by a crash.
   */
  readonly resume?: boolean;
}

/** How a server stores and runs tasks. */
export interface ServerTaskOptions {
  /** Stores the tasks; by default in memory, where they end with the process. */
  readonly store?: TaskStore;
  /** The version of the handlers: a question that changes with it is asked again. The server's `version` by default. */
  readonly code?: string;
  /** Tasks that this process runs at once; 100 by default. Others are queued. */
  readonly maxRunning?: number;
  /** Unfinished tasks of one verified caller or session; 100 by default. */
  readonly maxTasksPerCaller?: number;
  /** Unfinished tasks of all callers; 10,000 by default. */
  readonly maxTasks?: number;
  /** The size of all unfinished tasks, in bytes, if the store limits it, as those of Mooring do; 512 MiB by default. */
  readonly maxBytes?: number;
  /** The longest time to live that a caller can ask for; a week by default. */
  readonly maxTtlMs?: number;
  /** Lets a task continue after the caller's authorization has expired. */
  readonly outliveAuth?: boolean;
  /** Lease time: after how long other processes take over the tasks of a process that crashed or hangs; 30 s by default. */
  readonly leaseMs?: number;
}
