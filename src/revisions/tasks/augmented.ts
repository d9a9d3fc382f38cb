/** Tasks as the requestor asks for them: the call has a `task` member, and `tasks/result` brings questions and the result. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject, METHOD_NOT_FOUND, notification } from '../../jsonrpc/message.ts';
import { commonMembers, readCommonMembers, type TaskForm, type TaskState } from './form.ts';

const STATUS_CHANGED = 'notifications/tasks/status';

/** A result that is an error is a failed task in this revision, and a failed task says why. */
function taskOf(state: TaskState): JsonObject {
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
  wish: ({ task }) => (task === undefined ? 'never' : 'now'),
  needed: (tool) => new RpcError(METHOD_NOT_FOUND, `Tool "${tool}" runs as a task only: call it with "task"`),
  unsupported: (tool) => new RpcError(METHOD_NOT_FOUND, `Tool "${tool}" has no tasks: call it without "task"`),
  requireDeclaration: () => undefined,
  created: (state) => ({ task: taskOf(state) }),
  got: taskOf,
  cancelled(state, hadEnded) {
    if (hadEnded) throw new RpcError(INVALID_PARAMS, `The task has ended before: ${state.status}`);
    return taskOf(state);
  },
  changed: (state) => notification(STATUS_CHANGED, taskOf(state)),
  isOffered({ tasks }) {
    const requests = isObject(tasks) ? tasks['requests'] : undefined;
    const tools = isObject(requests) ? requests['tools'] : undefined;
    return isObject(tools) && isObject(tools['call']);
  },
  ask: (params) => ({ ...params, task: {} }),
  taskIn: ({ task }) => (isObject(task) ? task : undefined),
  readState,
  changedMethod: STATUS_CHANGED,
};
