/** What the author of a server says about tasks: on a tool, and on the server. */
import type { TaskStore } from '../../model/task-record.ts';

/** How a tool runs as a task. */
export interface TaskSpec {
  /** Reject callers that cannot take a task, instead of making them wait. */
  readonly required?: boolean;
  /**
   * When the caller gets its handle: at once, which is the default; when the work has taken so long; when the handler calls
   * `ctx.detach()`. Questions before that are rounds of the call, questions after it belong to the task.
   */
  readonly begins?: 'at once' | 'on detach' | { readonly afterMs: number };
  /** How long it can work; an hour by default. */
  readonly runMs?: number;
  /** How long a question can stay open; a day by default. */
  readonly askMs?: number;
  /** How long the outcome is kept; 15 minutes by default. */
  readonly keepMs?: number;
  /** How often a client should ask for its state; every second by default. */
  readonly pollMs?: number;
  /**
   * Whether a run that was cut short by a crash can be run again from the top. By default where that is harmless: `effects: 'read'`
   * or `idempotent`. A task that waits for an answer was not cut short.
   */
  readonly resume?: boolean;
}

/** How a server keeps and runs tasks. */
export interface ServerTaskOptions {
  /** Where tasks are kept; by default in memory, where they end with the process. */
  readonly store?: TaskStore;
  /** The version of the handlers: a question that changed with it is asked again. The server's `version` by default. */
  readonly code?: string;
  /** Tasks that this process runs at once; 100 by default. Others wait for their turn. */
  readonly maxRunning?: number;
  /** Unfinished tasks of one verified caller or session; 100 by default. */
  readonly maxTasksPerCaller?: number;
  /** Unfinished tasks of all callers; 10,000 by default. */
  readonly maxTasks?: number;
  /** The longest time to live that a caller can ask for; a week by default. */
  readonly maxTtlMs?: number;
  /** Lets a task work on when the caller's authorization has expired. */
  readonly outliveAuth?: boolean;
  /** How long a process that no longer reports keeps its tasks; 30 s by default. */
  readonly leaseMs?: number;
}
