/** Calls that can run as tasks: the same handler and caller in every revision; ordinary calls where there are no tasks. */
import { expect } from 'vitest';
import type { ClientTask, ClientTaskState } from '../../src/client/index.ts';
import { isObject } from '../../src/jsonrpc/message.ts';
import { everyRevision, type Scene, type SceneOptions } from '../support/every-revision.ts';
import { shortPauses } from '../support/short-pauses.ts';
import type { Overheard } from '../support/tap.ts';
import { verifies } from '../support/verifies.ts';

const FORMS = '2025-06-18';
const TASKS = '2025-11-25';
const STATELESS = '2026-07-28';

/** In the newest revision tasks are an extension, so the schema does not have its messages. */
function isOfTasks({ message, answers = '' }: Overheard): boolean {
  if ('method' in message) {
    const { notifications } = message.params ?? {};
    return (isObject(notifications) && 'taskIds' in notifications) || /^(notifications\/)?tasks\b/.test(message.method);
  }
  return answers.startsWith('tasks/') || ('result' in message && message.result['resultType'] === 'task');
}

const yard: SceneOptions = {
  fixture: 'yard',
  connect: { tasks: true, clock: shortPauses },
  user: (user) => user.answer('her name', { name: 'Beagle' }),
  outside: (entry, revision) => revision === STATELESS && isOfTasks(entry),
};

/** Revisions without forms get the name as input. */
const inputOf = ({ revision }: Scene): { name?: string } => (revision < FORMS ? { name: 'Beagle' } : {});

async function all(task: ClientTask): Promise<readonly ClientTaskState[]> {
  const seen: ClientTaskState[] = [];
  for await (const state of task.states()) seen.push(state);
  return seen;
}

everyRevision('start, states and result are the same, whether the call is a task or not', yard, async (scene) => {
  verifies('TASK-12', 'TASK-69');
  const { client, revision, user, wire } = scene;
  const task = await client.start('launch', inputOf(scene));
  const [states, { text }] = await Promise.all([all(task), task.result()]);
  expect(text).toBe('Beagle is afloat');
  expect(states.at(-1)?.status).toBe('completed');
  // The oldest revision has no progress messages.
  expect(states.some(({ message, progress }) => (message ?? progress) !== undefined)).toBe(true);
  expect(user.asked).toHaveLength(revision < FORMS ? 0 : 1);
  expect(task.ticket === undefined).toBe(revision < TASKS);
  expect(wire.requests('tools/call')).toHaveLength(1);
  expect(wire.requests('tasks/get').length > 0).toBe(revision >= TASKS);
});

everyRevision('call waits for the result, whatever the server makes of it', yard, async (scene) => {
  const { text } = await scene.client.call('launch', inputOf(scene));
  expect(text).toBe('Beagle is afloat');
});

everyRevision('cancel stops the work', yard, async ({ client, revision }) => {
  const task = await client.start('drift');
  const seen: ClientTaskState[] = [];
  for await (const state of task.states()) {
    seen.push(state);
    if (state.message === 'adrift' || state.progress !== undefined) await task.cancel();
  }
  expect(seen.at(-1)?.status).toBe('cancelled');
  await expect(task.result()).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
  expect((await client.call('log')).text).toBe('stopped');
  expect(task.ticket === undefined).toBe(revision < TASKS);
});

everyRevision('a caller that gives up a call leaves no work behind', yard, async ({ client, wire, revision }) => {
  verifies('TASK-96');
  const control = new AbortController();
  const calling = client.call('drift', {}, { signal: control.signal, onProgress: () => control.abort() });
  await expect(calling).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
  expect((await client.call('log')).text).toBe('stopped');
  if (revision < TASKS) return;
  expect(wire.requests('tasks/cancel')).toHaveLength(revision === STATELESS ? 1 : 0);
  if (revision === STATELESS) expect(wire.notifications('notifications/cancelled')).toEqual([]);
});

everyRevision('a tool that fails in a task fails like any other', yard, async ({ client }) => {
  const task = await client.start('sink');
  expect(await task.attempt()).toMatchObject({ isError: true, text: 'she leaks' });
  await expect(task.result()).rejects.toMatchObject({ name: 'ToolError' });
});

everyRevision('a ticket is enough to come back', { ...yard, since: TASKS }, async ({ client, user }) => {
  const task = await client.start('launch', {});
  const again = await client.attach(JSON.parse(JSON.stringify(task.ticket)));
  expect((await again.result()).text).toBe('Beagle is afloat');
  expect(user.asked).toHaveLength(1);
});
