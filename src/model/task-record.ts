/** What a store keeps of a task, and what a store must do. The same two lists that a sealed state has: answers and steps. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { AuthInfo, Caller } from './caller.ts';

/** The states of a task; the last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The outcome of a step. A failure is kept too, so that a handler that catches it takes the same path in every replay. */
export type StepRecord =
  | { readonly value?: unknown }
  | { readonly error: { readonly name: string; readonly message: string; readonly isToolError: boolean } };

/** How a task ended. */
export type TaskOutcome =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly cancelled: true };

/**
 * JSON only. Once it has ended, what only runs need is empty: arguments, caller, answers, steps. Stores look at `id`, `version`,
 * `owner`, `createdAt`, `dueAt`, `outcome`, `lease` and `runs` alone.
 */
export interface StoredTask {
  /** 32 random bytes as base64url, or derived from the sealed state where a round came first. */
  readonly id: string;
  /** 1 at first; grows by one with every `put`. */
  readonly version: number;
  readonly owner: string;
  readonly form: 'augmented' | 'handle';
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly caller: Caller;
  /** What was verified about the caller. The token is not in it. */
  readonly auth?: AuthInfo | undefined;
  /** The version of the handlers that ran last. */
  readonly code: string;
  /** Whether a run that was cut short can be run again, as the tool said when the task began. */
  readonly resume: boolean;
  /** Whether the caller has asked for the task since it got its id. */
  readonly isSeen: boolean;
  readonly status: TaskStatus;
  readonly message?: string | undefined;
  readonly progress?: { readonly done: number; readonly total?: number } | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number | null;
  readonly pollMs: number;
  /** The task fails if it has not ended by then. */
  readonly endsAt: number;
  /** When a process must look at it next: the end of the lease, now, `endsAt`, or the time to delete it. */
  readonly dueAt: number;
  /** Every question there ever was, by the key that the handler gave it. */
  readonly asked: readonly (readonly [
    key: string,
    { readonly wire: string; readonly digest: string; readonly code: string },
  ])[];
  /** Open questions, by their key on the wire. */
  readonly questions: readonly (readonly [wire: string, { readonly method: string; readonly params: JsonObject }])[];
  readonly answers: readonly (readonly [wire: string, JsonObject])[];
  /** Steps that began and must not run twice. */
  readonly begun: readonly string[];
  readonly steps: readonly (readonly [key: string, StepRecord])[];
  /** There as soon as the task is finished. */
  readonly outcome?: TaskOutcome | undefined;
  /** The process that runs it, and until when it is believed to. */
  readonly lease?: { readonly by: string; readonly until: number } | undefined;
  /** Grows with every run; together with `lease.by` it says who can write. */
  readonly runs: number;
  /** Runs that were cut short since a step or an answer was last recorded. */
  readonly interruptions: number;
}

/** One run of a task by one process. */
export interface TaskHolder {
  readonly by: string;
  readonly run: number;
}

/** How many unfinished tasks there can be. A task that would be one more is not created. */
export interface TaskLimits {
  /** Of all owners. */
  readonly maxTasks: number;
  /** Of the owner of the new task; absent where callers cannot be told apart. */
  readonly maxTasksPerCaller?: number;
}

/** Keeps tasks. Every method is atomic, also between processes. `taskStoreChecks` tests all of this. */
export interface TaskStore {
  /**
   * Resolves when `get` would find it, from every process. False if there is a task with this id; otherwise the name of a limit that
   * has been reached. A `create` with only the first parameter leaves limits to the server: each process counts before it creates,
   * so processes that create at the same time can exceed them.
   */
  create(task: StoredTask, limits?: TaskLimits): Promise<boolean | keyof TaskLimits>;
  /** A copy: changing it changes nothing that is stored. */
  get(id: string): Promise<StoredTask | undefined>;
  /** Writes it if the stored version is still `expected`; false otherwise. */
  put(task: StoredTask, expected: number): Promise<boolean>;
  /** Moves `lease.until` and `dueAt` to `until` if this run still holds the unfinished task; false otherwise. Leaves the version alone. */
  renew(id: string, holder: TaskHolder, until: number): Promise<boolean>;
  /** Of this owner alone, oldest first, after that id; none if that id is gone or another owner's. */
  list(owner: string, after: string | undefined, limit: number): Promise<readonly StoredTask[]>;
  /** Those with `dueAt <= now`, the earliest first. */
  due(now: number, limit: number): Promise<readonly StoredTask[]>;
  /** Unfinished ones: of this owner, or of all where none is named. */
  count(owner?: string): Promise<number>;
  /** Nothing happens if there is none. */
  delete(id: string): Promise<void>;
  /** When a task has changed in another process, where the store can tell. Returns the way to stop. */
  watch?(listener: (id: string) => void): () => void;
  close?(): Promise<void> | void;
}

/** A `create` that takes limits decides them, in one step with the creation. */
export const decidesLimits = (store: TaskStore): boolean => store.create.length > 1;
