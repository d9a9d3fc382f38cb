/** The stored record of a task, and the interface of task stores. Like a sealed state, a record has two lists: answers and steps. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { AuthInfo, Caller } from './caller.ts';

/** The states of a task; the last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The outcome of a step. A failure is stored too, so that a handler that catches it takes the same path in every replay. */
export type StepRecord =
  | { readonly value?: unknown }
  | { readonly error: { readonly name: string; readonly message: string; readonly isToolError: boolean } };

/** How a task ended. */
export type TaskOutcome =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly cancelled: true };

/**
 * Plain JSON. When a task has ended, members that only runs need are emptied: arguments, caller, answers, steps. Stores read only
 * `id`, `version`, `owner`, `createdAt`, `dueAt`, `outcome`, `lease` and `runs`.
 */
export interface StoredTask {
  /** 32 random bytes as base64url, or derived from the sealed state if the call had a round of questions before. */
  readonly id: string;
  /** 1 at first; grows by one with every `put`. */
  readonly version: number;
  readonly owner: string;
  readonly form: 'augmented' | 'handle';
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly caller: Caller;
  /** The verified identity of the caller, without the token. */
  readonly auth?: AuthInfo | undefined;
  /** The version of the handlers that ran last. */
  readonly code: string;
  /** Whether an interrupted run can be repeated, according to the tool when the task began. */
  readonly resume: boolean;
  /** Whether the caller has requested the task by its id. */
  readonly isSeen: boolean;
  readonly status: TaskStatus;
  readonly message?: string | undefined;
  readonly progress?: { readonly done: number; readonly total?: number } | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number | null;
  readonly pollMs: number;
  /** Deadline: the task fails if it has not ended by then. */
  readonly endsAt: number;
  /** When a process must handle the task next: the end of the lease, now, `endsAt`, or the time to delete it. */
  readonly dueAt: number;
  /** All questions that were ever asked, by the handler's key. */
  readonly asked: readonly (readonly [
    key: string,
    { readonly wire: string; readonly digest: string; readonly code: string },
  ])[];
  /** Open questions, by their key on the wire. */
  readonly questions: readonly (readonly [wire: string, { readonly method: string; readonly params: JsonObject }])[];
  readonly answers: readonly (readonly [wire: string, JsonObject])[];
  /** Steps that have begun and must not run twice. */
  readonly begun: readonly string[];
  readonly steps: readonly (readonly [key: string, StepRecord])[];
  /** Set when the task has ended. */
  readonly outcome?: TaskOutcome | undefined;
  /** The process that runs the task, and when its lease expires. */
  readonly lease?: { readonly by: string; readonly until: number } | undefined;
  /** The number of runs. With `lease.by`, it identifies the run that can write (fencing token). */
  readonly runs: number;
  /** Interrupted runs since a step or an answer was last recorded. */
  readonly interruptions: number;
}

/** One run of a task by one process. */
export interface TaskHolder {
  readonly by: string;
  readonly run: number;
}

/** Limits of unfinished tasks. A task that would exceed one is not created. */
export interface TaskLimits {
  /** For all owners together. */
  readonly maxTasks: number;
  /** For the owner of the new task; absent if callers cannot be distinguished. */
  readonly maxTasksPerCaller?: number;
  /** For the size of all unfinished tasks: the bytes of their JSON, or of the memory that they take. */
  readonly maxBytes?: number;
}

/** Stores tasks. Every method is atomic, also between processes. `taskStoreChecks` tests all of this. */
export interface TaskStore {
  /**
   * Resolves to true when `get` finds the task in every process, to false if the id exists, or to the name of a limit that is reached.
   * A `create` that declares only the first parameter leaves limits to the server: each process counts before it creates, so processes
   * that create at the same time can exceed them.
   */
  create(task: StoredTask, limits?: TaskLimits): Promise<boolean | keyof TaskLimits>;
  /** Returns a copy: changing it must not change what is stored. */
  get(id: string): Promise<StoredTask | undefined>;
  /**
   * Writes the task if the stored version is still `expected` (compare-and-swap); false otherwise. With `maxBytes`, resolves to its name
   * if the task grows and the unfinished tasks would exceed it. A store whose `put` does not declare it has no limit of bytes.
   */
  put(task: StoredTask, expected: number, maxBytes?: number): Promise<boolean | keyof TaskLimits>;
  /** Sets `lease.until` and `dueAt` to `until` if this run still holds the unfinished task; false otherwise. Keeps the version. */
  renew(id: string, holder: TaskHolder, until: number): Promise<boolean>;
  /** The tasks of this owner, oldest first, after the task `after`; empty if that is gone or belongs to another owner. */
  list(owner: string, after: string | undefined, limit: number): Promise<readonly StoredTask[]>;
  /** The tasks with `dueAt <= now`, earliest first. */
  due(now: number, limit: number): Promise<readonly StoredTask[]>;
  /** The number of unfinished tasks of this owner, or of all owners. */
  count(owner?: string): Promise<number>;
  /** Does nothing if the task does not exist. */
  delete(id: string): Promise<void>;
  /** Calls back when another process changed a task. Absent if the store cannot detect this. Returns a function that stops it. */
  watch?(listener: (id: string) => void): () => void;
  close?(): Promise<void> | void;
}

/** Whether the store enforces limits itself, atomically with the creation: then its `create` declares the parameter for them. */
export const decidesLimits = (store: TaskStore): boolean => store.create.length > 1;

/** Whether the store limits the size of unfinished tasks, in `create` and in `put`. */
export const limitsBytes = (store: TaskStore): boolean => decidesLimits(store) && store.put.length > 2;
