/** What a client reads of a task: everything was written by the server, so it is held in bounds. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ServerFacts } from '../../model/caller.ts';
import { cutText } from '../../model/cut-text.ts';
import type { Tool } from '../../model/parts.ts';
import type { TaskStatus } from '../../model/task-record.ts';
import { malformedResult } from '../../revisions/decode.ts';
import type { TaskForm, TaskState } from '../../revisions/tasks/form.ts';
import type { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { LiveConnection } from '../connection.ts';

/** An id goes into a header with each request. */
const MAX_TASK_ID = 1_024;
const MAX_STATUS_MESSAGE = 2_000;

/** Nothing can follow. */
export const isTaskOver = (status: TaskStatus): boolean => status !== 'working' && status !== 'input_required';

/** How tasks are spelled on a connection. Throws where its revision has none. */
export async function requireForm(forms: TaskForms, { revision }: LiveConnection): Promise<TaskForm> {
  const form = await forms.find(revision);
  if (form !== undefined) return form;
  throw new McpError('MCP_NOT_OFFERED', { what: `tasks in revision ${revision.id}`, capability: 'tasks' });
}

/** Whether a call asks for a task, where callers can. */
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

/** The task that the result of a call stands for; undefined where it is the result itself. */
export function readCreatedTask(form: TaskForm, result: JsonObject, asked: boolean): TaskState | undefined {
  // A plain result may have a member that is spelled like a task which was not asked for.
  const task = asked || !form.hasResultRequest ? form.taskIn(result) : undefined;
  return task === undefined ? undefined : readTaskState(form, 'tools/call', task);
}

/** The task in an answer to `tasks/get`, or in the params of a notification. */
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
