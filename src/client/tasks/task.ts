/** A call that can outlive its connection, as its caller sees it. */
import type { TaskStatus } from '../../model/task-record.ts';
import type { Progress } from '../outgoing-call.ts';
import type { AttemptResult, CallResult } from '../types.ts';

/** How far a task has come. */
export interface ClientTaskState {
  readonly status: TaskStatus;
  /** What the server says about it: unverified text. */
  readonly message?: string;
  /** Where the server reports numbers. */
  readonly progress?: Pick<Progress, 'progress' | 'total'>;
}

/** All that another process needs to come back for a task: no arguments, no answers, no credentials. It is plain JSON. */
export interface TaskTicket {
  readonly v: 1;
  /** Where the task is: the URL without its query, or a digest of the command. */
  readonly server: string;
  /** The revision that was spoken when it began. */
  readonly revision: string;
  readonly taskId: string;
  readonly tool: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** How long the server keeps it, from then on; null if it does not say. */
  readonly ttlMs: number | null;
  /** The keys of questions that were answered, which are not asked again. */
  readonly answered: readonly string[];
}

/** Settings of waiting for a task. */
export interface WaitOptions {
  /** Ends the waiting, not the task. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait without a sign of life. The lifetime of the task, up to a day. */
  readonly timeoutMs?: number | undefined;
  /** How long to wait in all. A week. */
  readonly maxTimeoutMs?: number | undefined;
}

/** A tool call that works on its own. Questions are answered while you wait for its result, or read its states. */
export interface ClientTask<D = unknown> {
  readonly tool: string;
  /** As of now; undefined where the server made no task of the call. Store it, and `client.attach` goes on from there. */
  readonly ticket: TaskTicket | undefined;
  /** The state now, and then each change until the task ends. Changes that come faster than they are read are skipped. */
  states(options?: WaitOptions): AsyncIterable<ClientTaskState>;
  /** Waits for the end, and returns what the tool returned. Throws a `ToolError` when the tool says that it failed. */
  result(options?: WaitOptions): Promise<CallResult<D>>;
  /** The same, and returns the result also when the tool says that it failed. */
  attempt(options?: WaitOptions): Promise<AttemptResult>;
  /** Asks the server to stop. The task ends when the server says so. */
  cancel(): Promise<void>;
}
