import { expect, test } from 'vitest';
import { cutText } from '../../model/cut-text.ts';
import { findRevision } from '../../revisions/index.ts';
import type { TaskForm, TaskState } from '../../revisions/tasks/form.ts';
import { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { LiveConnection } from '../live-connection.ts';
import { asksForTask, isEndStatus, readCreatedTask, readTaskState, requireForm } from './read-task.ts';

const live = (id: string): LiveConnection => ({ revision: findRevision(id) }) as LiveConnection; // what is read of it

/** A form that reads everything as this state. */
const reading = (state: Partial<TaskState> | undefined, more: Partial<TaskForm> = {}): TaskForm =>
  ({ readState: () => state, ...more }) as unknown as TaskForm; // the part that is used

test.each([undefined, 7, '', 'x'.repeat(1_025)])('a task with the id %j is malformed', (taskId) => {
  expect(() => readTaskState(reading({}), 'tasks/get', { taskId })).toThrow(/"taskId" must be a string of 1 to 1024/);
});

test('a task id of 1,024 characters is accepted, and a state that cannot be read is malformed', () => {
  const taskId = 'x'.repeat(1_024);
  const state = { status: 'working' } as const;
  expect(readTaskState(reading(state), 'tasks/get', { taskId })).toBe(state);
  expect(() => readTaskState(reading(undefined), 'tasks/get', { taskId })).toThrow(/known "status"/);
});

test('the status message of a server is cut to 2,000 characters', () => {
  const messageOf = (message: string): string =>
    readTaskState(reading({ message }), 'tasks/get', { taskId: 't' }).message ?? '';
  expect(messageOf('half done')).toBe('half done');
  expect(messageOf('x'.repeat(2_000))).toBe('x'.repeat(2_000));
  expect(messageOf('x'.repeat(100_000))).toBe(cutText('x'.repeat(100_000), 2_000));
});

test('a result is a task only if the client asked for one, or the server may decide', () => {
  const created = (hasResultRequest: boolean, asked: boolean): unknown =>
    readCreatedTask(
      reading({ status: 'working' }, { hasResultRequest, createdTaskIn: () => ({ taskId: 't' }) }),
      {},
      asked,
    );
  expect(created(true, false)).toBeUndefined();
  expect(created(true, true)).toEqual({ status: 'working' });
  expect(created(false, false)).toEqual({ status: 'working' });
  const odd = reading({}, { hasResultRequest: false, createdTaskIn: () => ({ taskId: '' }) });
  expect(() => readCreatedTask(odd, {}, false)).toThrow('The result of tools/call is malformed');
});

test.each([
  ['2025-11-25', 'augmented'],
  ['2026-07-28', 'handle'],
])('the revision %s has tasks of the form "%s"', async (id, name) => {
  expect(await requireForm(new TaskForms(), live(id))).toMatchObject({ name });
});

test('a revision without tasks is named in the error', async () => {
  await expect(requireForm(new TaskForms(), live('2025-06-18'))).rejects.toThrow(
    'The server does not offer tasks in revision 2025-06-18 (capability "tasks")',
  );
});

test.each([
  ['required', false, true],
  ['required', true, true],
  ['optional', true, true],
  ['optional', false, false],
  ['forbidden', true, false],
  [undefined, true, false],
] as const)(
  'a call of a tool whose task support is %s, with start %s, asks for a task: %s',
  async (support, isStart, asks) => {
    const tool = { name: 't', inputSchema: { type: 'object' }, execution: { taskSupport: support } } as never; // as listed
    const ask = (more: Partial<TaskForm>): Promise<boolean> =>
      asksForTask(
        reading(undefined, { hasResultRequest: true, isOffered: () => true, ...more }),
        { capabilities: {} },
        isStart,
        async () => tool,
      );
    expect(await ask({})).toBe(asks);
    expect(await ask({ isOffered: () => false })).toBe(false);
    expect(await ask({ hasResultRequest: false })).toBe(false);
  },
);

test('only working tasks and those that wait for input go on', () => {
  const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;
  expect(statuses.map(isEndStatus)).toEqual([false, false, true, true, true]);
});
