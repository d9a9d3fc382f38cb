/** Public types of calls that can outlive their connection. */
import type { TaskStatus } from '../../model/task-record.ts';
import type { Progress } from '../outgoing-call.ts';
import type { AttemptResult, CallResult } from '../types.ts';

/** The state of a task. */
export interface ClientTaskState {
  readonly status: TaskStatus;
  /** The server's status message: unverified text. */
  readonly message?: string;
  /** Progress in numbers, if the server reports it. */
  readonly progress?: Pick<Progress, 'progress' | 'total'>;
}

/** What another process needs to resume a task, as plain JSON. Contains no arguments, answers or credentials. */
export interface TaskTicket {
  readonly v: 1;
  /** The server of the task: its URL without the query, a digest of its command, or for other targets its own name, which proves nothing. */
  readonly server: string;
  /** The protocol revision in which the task was created. */
  readonly revision: string;
  readonly taskId: string;
  readonly tool: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** How long the server retains the task after `createdAt`; null if unspecified. */
  readonly ttlMs: number | null;
  /** The keys of questions that were answered, so that the user is not asked again. */
  readonly answered: readonly string[];
}

/** Options for waiting for a task. */
export interface WaitOptions {
  /** Stops waiting. Does not cancel the task. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout that each change of the task restarts. Default: the lifetime of the task, at most a day. */
  readonly timeoutMs?: number | undefined;
  /** Total timeout. Default: a week. */
  readonly maxTimeoutMs?: number | undefined;
}

/** A tool call that runs in the background. The server's questions are answered while you wait for the result or read `states()`. */
export interface ClientTask<D = unknown> {
  readonly tool: string;
  /** A snapshot to store and pass to `client.attach`; undefined if the server does not run the call as a task. */
  readonly ticket: TaskTicket | undefined;
  /** Yields the current state, then each change until the task ends. A slow reader skips intermediate states. */
  states(options?: WaitOptions): AsyncIterable<ClientTaskState>;
  /** Waits for the result of the tool. Throws a `ToolError` if the tool reports an error. */
  result(options?: WaitOptions): Promise<CallResult<D>>;
  /** Waits like `result`. If the tool reports an error, returns the result with `isError: true` instead of throwing. */
  attempt(options?: WaitOptions): Promise<AttemptResult<D>>;
  /** Asks the server to cancel the task. The task ends when the server reports so. */
  cancel(): Promise<void>;
}
