/** Validates and bounds what the server reports about a task. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ServerFacts } from '../../model/caller.ts';
import { cutText } from '../../model/cut-text.ts';
import type { Tool } from '../../model/parts.ts';
import type { TaskStatus } from '../../model/task-record.ts';
import { malformedResult } from '../../revisions/decode.ts';
import type { TaskForm, TaskState } from '../../revisions/tasks/form.ts';
import type { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { LiveConnection } from '../live-connection.ts';

/** The id is sent in a header of each request. */
const MAX_TASK_ID = 1_024;
const MAX_STATUS_MESSAGE = 2_000;

/** Whether the status is final. */
export const isEndStatus = (status: TaskStatus): boolean => status !== 'working' && status !== 'input_required';

/** Returns the task methods of the connection's revision. Throws if it has no tasks. */
export async function requireForm(forms: TaskForms, { revision }: LiveConnection): Promise<TaskForm> {
  const form = await forms.find(revision);
  if (form !== undefined) return form;
  throw new McpError('MCP_NOT_OFFERED', { what: `tasks in revision ${revision.id}`, capability: 'tasks' });
}

/** Whether the call requests a task, in revisions in which the client decides. */
export async function asksForTask(
  form: TaskForm,
  { capabilities }: ServerFacts,
  isStart: boolean,
  findTool: () => Promise<Tool | undefined>,
): Promise<boolean> {
  if (!form.hasResultRequest || !form.isOffered(capabilities)) return false;
  const support = (await findTool())?.execution?.taskSupport;
  return support === 'required' || (isStart && support === 'optional');
}

/** Reads the task that a call created; undefined if the result is the tool's own. */
export function readCreatedTask(form: TaskForm, result: JsonObject, asked: boolean): TaskState | undefined {
  // If the client did not ask for a task, a member named `task` belongs to the tool's own result.
  const task = asked || !form.hasResultRequest ? form.createdTaskIn(result) : undefined;
  return task === undefined ? undefined : readTaskState(form, 'tools/call', task);
}

/** Reads the state of a task from a `tasks/get` result or the params of a notification. */
export function readTaskState(form: TaskForm, method: string, answer: JsonObject): TaskState {
  const { taskId } = answer;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > MAX_TASK_ID)
    throw malformedResult(method, `"taskId" must be a string of 1 to ${MAX_TASK_ID} characters`);
  const state = form.readState(answer);
  if (state === undefined) {
    const why = 'a task must have a known "status", "createdAt", a lifetime, and its result or error when it has ended';
    throw malformedResult(method, why);
  }
  return state.message === undefined ? state : { ...state, message: cutText(state.message, MAX_STATUS_MESSAGE) };
}
