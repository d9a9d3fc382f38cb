/** Tasks that the client requests: the call has a `task` member, and `tasks/result` delivers questions and the result. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject, METHOD_NOT_FOUND, notification } from '../../jsonrpc/message.ts';
import { commonMembers, readCommonMembers, type TaskForm, type TaskState } from './form.ts';

const STATUS_CHANGED = 'notifications/tasks/status';

/** Encodes the task. In this revision, a result with `isError` makes the task `failed`, with the reason as its message. */
function encodeTask(state: TaskState): JsonObject {
  const { ttlMs, pollMs, result, error } = state;
  const isFailed = result?.['isError'] === true;
  const why = isFailed ? firstText(result) : error?.message;
  const shown: TaskState = { ...state, ...(isFailed ? { status: 'failed' } : {}), ...(why ? { message: why } : {}) };
  return { ...commonMembers(shown), ttl: ttlMs, ...(pollMs === undefined ? {} : { pollInterval: pollMs }) };
}

function firstText({ content }: JsonObject): string | undefined {
  const [block] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return isObject(block) && typeof block['text'] === 'string' ? block['text'] : undefined;
}

const readState = (answer: JsonObject): TaskState | undefined =>
  readCommonMembers(answer, answer['ttl'], answer['pollInterval']);

export const augmentedTasks: TaskForm = {
  name: 'augmented',
  hasResultRequest: true,
  choiceOf: ({ task }) => (task === undefined ? 'never' : 'now'),
  taskRequiredError: (tool) =>
    new RpcError(METHOD_NOT_FOUND, `Tool "${tool}" runs as a task only: call it with "task"`),
  tasksUnsupportedError: (tool) =>
    new RpcError(METHOD_NOT_FOUND, `Tool "${tool}" has no tasks: call it without "task"`),
  requireDeclaration: () => undefined,
  encodeCreated: (state) => ({ task: encodeTask(state) }),
  encodeState: encodeTask,
  encodeCancelled(state, hadEnded) {
    if (hadEnded) throw new RpcError(INVALID_PARAMS, `The task has ended before: ${state.status}`);
    return encodeTask(state);
  },
  encodeChanged: (state) => notification(STATUS_CHANGED, encodeTask(state)),
  isOffered({ tasks }) {
    const requests = isObject(tasks) ? tasks['requests'] : undefined;
    const tools = isObject(requests) ? requests['tools'] : undefined;
    return isObject(tools) && isObject(tools['call']);
  },
  requestTask: (params) => ({ ...params, task: {} }),
  createdTaskIn: ({ task }) => (isObject(task) ? task : undefined),
  readState,
  changedMethod: STATUS_CHANGED,
};
