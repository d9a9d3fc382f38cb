/** How a revision encodes tasks, for client and server. Loaded only by programs that use tasks. */
import type { RpcError } from '../../errors.ts';
import { defined, isObject, type JsonObject, type RpcNotification } from '../../jsonrpc/message.ts';
import type { Caller, ServerCapabilities } from '../../model/caller.ts';
import type { StoredTask, TaskStatus } from '../../model/task-record.ts';
import { textOfValue } from '../../model/text-of-value.ts';

/** The state of a task. Times are in milliseconds since 1970. Questions and results are encoded for the revision of the reader. */
export interface TaskState {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly message?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** How long the server retains the task after `createdAt`; null for unlimited. */
  readonly ttlMs: number | null;
  readonly pollMs?: number;
  /** Open questions by key, in revisions in which they are part of the state. */
  readonly questions?: Readonly<Record<string, TaskQuestion>>;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
export interface TaskQuestion {
  readonly method: string;
  readonly params: JsonObject;
}

export interface TaskForm {
  readonly name: StoredTask['form'];
  /**
   * The revision has `tasks/result`: a request that stays open until the task ends, and on which the server sends the task's questions.
   * Other messages about the task can arrive at any time.
   */
  readonly hasResultRequest: boolean;
  /** Server: whether a tool call becomes a task: the caller does not support it, requested it, or leaves it to the tool. */
  choiceOf(params: JsonObject, caller: Caller): 'never' | 'now' | 'may';
  /** Server: the error for a plain call of a tool that runs only as a task. */
  taskRequiredError(tool: string): RpcError;
  /** Server: the error for a call that requests a task from a tool without tasks. */
  tasksUnsupportedError(tool: string): RpcError;
  /** Server: throws unless the caller declared support of tasks. Checked before the params. */
  requireDeclaration(caller: Caller): void;
  /** Server: the result of a call that became a task. */
  encodeCreated(state: TaskState): JsonObject;
  /** Server: the result of `tasks/get`. */
  encodeState(state: TaskState): JsonObject;
  /** Server: the result of `tasks/cancel`. Throws if the revision forbids to cancel a task that had ended. */
  encodeCancelled(state: TaskState, hadEnded: boolean): JsonObject;
  /** Server: the notification of a new state. */
  encodeChanged(state: TaskState): RpcNotification;

  /** Client: whether the server can run tool calls as tasks. */
  isOffered(server: ServerCapabilities): boolean;
  /** Client: adds the request for a task to the params of a call, in revisions in which the client decides. */
  requestTask(params: JsonObject): JsonObject;
  /** Client: the task in the result of a call; undefined if it is an ordinary result. */
  createdTaskIn(result: JsonObject): JsonObject | undefined;
  /** Client: reads a `tasks/get` result or the params of a notification; undefined if malformed. */
  readState(answer: JsonObject): TaskState | undefined;
  /** Client: the method of notifications that `readState` reads. */
  readonly changedMethod: string;
}

/** Encodes the members that both forms share. */
export function commonMembers({ taskId, status, message, createdAt, updatedAt }: TaskState): Record<string, unknown> {
  const created = new Date(createdAt).toISOString();
  const members: Record<string, unknown> = { taskId, status };
  if (message !== undefined) members['statusMessage'] = message;
  members['createdAt'] = created;
  members['lastUpdatedAt'] = updatedAt === createdAt ? created : new Date(updatedAt).toISOString();
  return members;
}

const statuses: readonly unknown[] = ['working', 'input_required', 'completed', 'failed', 'cancelled'];

/** Client: reads and validates the members that both forms share; undefined if one is invalid. */
export function readCommonMembers(
  { taskId, status, statusMessage, createdAt, lastUpdatedAt }: JsonObject,
  ttlMs: unknown,
  pollMs: unknown,
): TaskState | undefined {
  const created = timeOf(createdAt);
  const updated = timeOf(lastUpdatedAt);
  const isValid = typeof taskId === 'string' && taskId !== '' && statuses.includes(status);
  if (!isValid || Number.isNaN(created) || !(ttlMs === null || isDuration(ttlMs))) return undefined;
  return defined<TaskState>({
    taskId,
    status: status as TaskStatus, // checked by `statuses`
    message: typeof statusMessage === 'string' ? statusMessage : undefined,
    createdAt: created,
    updatedAt: Number.isNaN(updated) ? created : updated,
    ttlMs,
    pollMs: isDuration(pollMs) ? pollMs : undefined,
  });
}

/** Milliseconds since 1970; NaN if the value is not a date. */
const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);

const isDuration = (value: unknown): value is number => typeof value === 'number' && value > 0;

/** Client: reads the error of a failed task. */
export function readError(value: unknown): TaskState['error'] {
  if (!isObject(value) || typeof value['code'] !== 'number') return undefined;
  const { code, message, data } = value;
  return defined<NonNullable<TaskState['error']>>({ code, message: textOfValue(message), data });
}
