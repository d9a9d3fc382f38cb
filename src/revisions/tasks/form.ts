/** How a revision spells tasks, on both sides. Loaded by programs that use tasks, and by no others. */
import type { RpcError } from '../../errors.ts';
import { defined, isObject, type JsonObject, type RpcNotification } from '../../jsonrpc/message.ts';
import type { Caller, ServerCapabilities } from '../../model/caller.ts';
import type { StoredTask, TaskStatus } from '../../model/task-record.ts';
import { textOfValue } from '../../model/text-of-value.ts';

/** A task at one moment. Times are milliseconds since 1970; questions and results are in the words of the reader's revision. */
export interface TaskState {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly message?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** How long it is kept after `createdAt`; null for ever. */
  readonly ttlMs: number | null;
  readonly pollMs?: number;
  /** Open questions by their keys. Only where they are part of the state. */
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
   * The result has a request of its own, which stays open until the task ends and carries its questions. Other messages about the
   * task come at any time.
   */
  readonly hasResultRequest: boolean;
  /** Server: whether the caller of a tool gets a task: it cannot take one, it asked for one, or the tool decides. */
  wish(params: JsonObject, caller: Caller): 'never' | 'now' | 'may';
  /** Server: the rejection of a plain call of a tool that needs a task. */
  needed(tool: string): RpcError;
  /** Server: the rejection of a call that asks for a task of a tool that has none. */
  unsupported(tool: string): RpcError;
  /** Server: throws where the caller did not declare that it knows tasks. Looked at before anything else. */
  requireDeclaration(caller: Caller): void;
  /** Server: the answer to the call that became a task. */
  created(state: TaskState): JsonObject;
  /** Server: the answer to `tasks/get`. */
  got(state: TaskState): JsonObject;
  /** Server: the answer to `tasks/cancel`. Throws where a task that had ended before cannot be cancelled. */
  cancelled(state: TaskState, hadEnded: boolean): JsonObject;
  /** Server: the notification of a new state. */
  changed(state: TaskState): RpcNotification;

  /** Client: whether the server makes tasks of tool calls. */
  isOffered(server: ServerCapabilities): boolean;
  /** Client: params of a call that asks for a task, where the client can ask. */
  ask(params: JsonObject): JsonObject;
  /** Client: what the result of a call says of the task that it has become; undefined if it is an ordinary result. */
  taskIn(result: JsonObject): JsonObject | undefined;
  /** Client: the task in an answer to `tasks/get`, or in the params of a notification; undefined if it is malformed. */
  readState(answer: JsonObject): TaskState | undefined;
  /** Client: the method of notifications that `readState` reads. */
  readonly changedMethod: string;
}

/** What both forms spell alike. */
export function commonMembers({ taskId, status, message, createdAt, updatedAt }: TaskState): Record<string, unknown> {
  const created = new Date(createdAt).toISOString();
  const members: Record<string, unknown> = { taskId, status };
  if (message !== undefined) members['statusMessage'] = message;
  members['createdAt'] = created;
  members['lastUpdatedAt'] = updatedAt === createdAt ? created : new Date(updatedAt).toISOString();
  return members;
}

const statuses: readonly unknown[] = ['working', 'input_required', 'completed', 'failed', 'cancelled'];

/** Client: the members that both forms have, read from a server that may have written anything. */
export function readCommonMembers(
  { taskId, status, statusMessage, createdAt, lastUpdatedAt }: JsonObject,
  ttlMs: unknown,
  pollMs: unknown,
): TaskState | undefined {
  const created = timeOf(createdAt);
  const updated = timeOf(lastUpdatedAt);
  const isWhole = typeof taskId === 'string' && taskId !== '' && statuses.includes(status);
  if (!isWhole || Number.isNaN(created) || !(ttlMs === null || isDuration(ttlMs))) return undefined;
  return defined<TaskState>({
    taskId,
    status: status as TaskStatus, // one of the list
    message: typeof statusMessage === 'string' ? statusMessage : undefined,
    createdAt: created,
    updatedAt: Number.isNaN(updated) ? created : updated,
    ttlMs,
    pollMs: isDuration(pollMs) ? pollMs : undefined,
  });
}

/** NaN for what is no date. */
const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);

const isDuration = (value: unknown): value is number => typeof value === 'number' && value > 0;

/** Client: an error as a server reports it inside an answer. */
export function readError(value: unknown): TaskState['error'] {
  if (!isObject(value) || typeof value['code'] !== 'number') return undefined;
  const { code, message, data } = value;
  return defined<NonNullable<TaskState['error']>>({ code, message: textOfValue(message), data });
}
