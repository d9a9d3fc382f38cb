/** Tasks as an extension: the server decides, and responds to a call with a task handle. `tasks/get` returns everything else. */
import { RpcError } from '../../errors.ts';
import { defined, INVALID_PARAMS, isObject, type JsonObject, notification } from '../../jsonrpc/message.ts';
import type { Caller } from '../../model/caller.ts';
import { MISSING_CAPABILITY, TASKS } from '../../model/names.ts';
import {
  commonMembers,
  readCommonMembers,
  readError,
  type TaskForm,
  type TaskQuestion,
  type TaskState,
} from './form.ts';

const TASK_CHANGED = 'notifications/tasks';

const isDeclared = ({ capabilities }: Caller): boolean => isObject(capabilities.extensions?.[TASKS]);

const missingDeclaration = (why: string): RpcError =>
  new RpcError(MISSING_CAPABILITY, why, { requiredCapabilities: { extensions: { [TASKS]: {} } } });

// Without object spread, which is slower: this is the main cost of a poll.
function taskHandleMembers(state: TaskState): Record<string, unknown> {
  const members = commonMembers(state);
  members['ttlMs'] = state.ttlMs;
  if (state.pollMs !== undefined) members['pollIntervalMs'] = state.pollMs;
  return members;
}

/** Encodes the whole state. The result gets its `resultType`, because the official SDK rejects it otherwise. */
function encodeDetailed(state: TaskState): JsonObject {
  const { questions, result, error } = state;
  const members = taskHandleMembers(state);
  if (questions !== undefined) members['inputRequests'] = questions;
  if (result !== undefined) members['result'] = { resultType: 'complete', ...result };
  if (error !== undefined) members['error'] = error;
  return members;
}

function readState(answer: JsonObject): TaskState | undefined {
  const { inputRequests, result, error } = answer;
  const common = readCommonMembers(answer, answer['ttlMs'], answer['pollIntervalMs']);
  if (common === undefined) return undefined;
  const state = defined<TaskState>({
    ...common,
    questions: isObject(inputRequests) ? readQuestions(inputRequests) : undefined,
    result: isObject(result) ? result : undefined,
    error: readError(error),
  });
  const required = state.status === 'completed' ? state.result : state.status === 'failed' ? state.error : state;
  return required === undefined ? undefined : state;
}

function readQuestions(requests: JsonObject): Readonly<Record<string, TaskQuestion>> {
  const questions: Record<string, TaskQuestion> = Object.create(null);
  for (const [key, one] of Object.entries(requests)) {
    if (!isObject(one) || typeof one['method'] !== 'string') continue;
    questions[key] = { method: one['method'], params: isObject(one['params']) ? one['params'] : {} };
  }
  return questions;
}

export const taskHandles: TaskForm = {
  name: 'handle',
  hasResultRequest: false,
  // Ignores a `task` member in the params, as in the older revision.
  choiceOf: (_params, caller) => (isDeclared(caller) ? 'may' : 'never'),
  taskRequiredError: (tool) =>
    missingDeclaration(`Tool "${tool}" runs as a task only: the request must declare the extension ${TASKS}`),
  tasksUnsupportedError: (tool) => new RpcError(INVALID_PARAMS, `Tool "${tool}" has no tasks`),
  requireDeclaration(caller) {
    if (!isDeclared(caller)) throw missingDeclaration(`The request must declare the extension ${TASKS}`);
  },
  encodeCreated(state) {
    const members = taskHandleMembers(state);
    members['resultType'] = 'task';
    return members;
  },
  encodeState: encodeDetailed,
  encodeCancelled: () => ({}),
  encodeChanged: (state) => notification(TASK_CHANGED, encodeDetailed(state)),
  isOffered: ({ extensions }) => isObject(extensions?.[TASKS]),
  requestTask: (params) => params,
  createdTaskIn: (result) => (result['resultType'] === 'task' ? result : undefined),
  readState,
  changedMethod: TASK_CHANGED,
};
