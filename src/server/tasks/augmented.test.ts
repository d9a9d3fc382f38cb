/** Tasks in the form of 2025-11-25: requested by the caller, questions relayed on tasks/result, progress until the end. */
import { expect, test } from 'vitest';
import { everyRevision, open, type Raw, type RawOptions } from '../../../test/support/raw.ts';
import {
  accept,
  begin,
  callerNamed,
  get,
  nameForm,
  settle,
  TASKS,
  taskWorld,
  yes,
} from '../../../test/support/tasks.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { TaskStore } from '../../model/task-record.ts';
import { tool } from '../tool.ts';
import { memoryTasks } from './memory-store.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const capabilities = { elicitation: { form: {}, url: {} } };
const augmented = (server: Parameters<typeof open>[0], options: RawOptions = {}): Promise<Raw> =>
  open(server, { revision: '2025-11-25', capabilities, ...options });

test('a server with tasks declares them, and a call with "task" is answered with a task', async () => {
  verifies('TASK-1', 'TASK-12', 'TASK-13', 'TASK-14', 'TASK-15', 'TASK-21', 'TASK-22', 'TASK-109');
  const { server } = taskWorld(() => 'done');
  const fresh = await open(server, { revision: undefined });
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: { extensions: { [TASKS]: {} } },
    clientInfo: { name: 'a', version: '1' },
  };
  const { capabilities: offered } = await fresh.result('initialize', hello);
  expect(offered).toMatchObject({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } });
  expect((offered as JsonObject)['extensions']).toBeUndefined();
  const raw = await augmented(server);
  const { task } = await raw.result('tools/call', { name: 'work', task: { ttl: 60_000 } });
  expect(task).toEqual({
    taskId: expect.stringMatching(/^[\w-]{43}$/),
    status: 'working',
    createdAt: '2001-09-09T01:46:40.000Z',
    lastUpdatedAt: '2001-09-09T01:46:40.000Z',
    ttl: 60_000,
    pollInterval: 1_000,
  });
  // The id of the extension enables nothing here.
  const named = await augmented(server, { capabilities: { extensions: { [TASKS]: {} } } });
  expect(await named.result('tools/call', { name: 'work' })).toMatchObject({ content: [{ text: 'done' }] });
});

test('tools say whether they run as tasks, and a call that does not fit is rejected', async () => {
  verifies('TASK-6', 'TASK-8', 'TASK-10');
  const plain = tool({ name: 'plain', description: 'Plain', run: () => 'plain' });
  const { server } = taskWorld(() => 'done', { task: 'required', parts: [plain] });
  const raw = await augmented(server);
  const { tools } = (await raw.result('tools/list')) as { tools: JsonObject[] };
  expect(tools.map(({ execution }) => execution)).toEqual([{ taskSupport: 'required' }, undefined]);
  expect(await raw.error('tools/call', { name: 'work' })).toMatchObject({ code: -32601 });
  expect(await raw.error('tools/call', { name: 'plain', task: {} })).toMatchObject({ code: -32601 });
  const without = (await import('../server.ts')).createServer({ name: 'y', version: '1', parts: [plain] });
  verifies('TASK-9');
  const other = await augmented(without);
  expect(await other.result('tools/call', { name: 'plain', task: {} })).toMatchObject({ content: [{ text: 'plain' }] });
});

test('tasks/result waits, relays the questions marked with their task, and returns the result of the tool', async () => {
  verifies('TASK-18', 'TASK-19', 'TASK-26', 'TASK-27', 'TASK-28', 'TASK-29', 'TASK-30');
  const { server } = taskWorld(async (ctx) => {
    const { value } = await ctx.ask('name', 'Who?', nameForm);
    return { content: [{ type: 'text', text: `Hello ${String(value?.['name'])}` }], structuredContent: { a: 1 } };
  });
  const raw = await augmented(server, { answer: () => accept({ name: 'Ada' }) });
  const taskId = await begin(raw, { task: {} });
  const waiting = await get(raw, taskId);
  expect(waiting).toMatchObject({ taskId, status: 'input_required' });
  expect(waiting['_meta'] ?? waiting['inputRequests']).toBeUndefined();
  const result = await raw.result('tasks/result', { taskId, _meta: { [RELATED]: { taskId: 'another' } } });
  expect(result).toEqual({
    content: [{ type: 'text', text: 'Hello Ada' }],
    structuredContent: { a: 1 },
    _meta: { [RELATED]: { taskId } },
  });
  expect(raw.asked).toMatchObject([
    { method: 'elicitation/create', params: { message: 'Who?', _meta: { [RELATED]: { taskId } } } },
  ]);
  expect(await raw.result('tasks/result', { taskId })).toEqual(result);
  expect(await get(raw, taskId)).toMatchObject({ status: 'completed' });
});

test('a stream that breaks leaves its question open, and the next stream asks it again; two streams ask it once', async () => {
  verifies('TASK-113');
  const { server } = taskWorld(async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`);
  const mute = await augmented(server);
  const taskId = await begin(mute, { task: {} });
  const broken = mute.start('tasks/result', { taskId });
  expect(await broken.response).toMatchObject({ error: { code: -32603 } });
  const raw = await augmented(server, { answer: () => yes });
  const both = await Promise.all([raw.result('tasks/result', { taskId }), raw.result('tasks/result', { taskId })]);
  expect(both.map(({ content }) => content)).toEqual([
    [{ type: 'text', text: 'Paid true' }],
    [{ type: 'text', text: 'Paid true' }],
  ]);
  expect(raw.asked).toHaveLength(1);
});

test('a client that rejects a question does not stop the task: the handler hears of it', async () => {
  const { server } = taskWorld((ctx) => ctx.confirm('go', 'Pay?').then(String));
  const raw = await augmented(server, { answer: () => new RpcError(-32_000, 'busy') });
  const taskId = await begin(raw, { task: {} });
  expect(await raw.result('tasks/result', { taskId })).toMatchObject({
    content: [{ text: 'The client rejected elicitation/create: busy' }],
  });
});

test.each([1, 2])(
  'a task that ends while tasks/result reads it (read %d) is noticed, in a store that reports changes',
  async (read) => {
    const kept = memoryTasks();
    let reads = 0;
    const turns: (() => void)[] = [];
    const { server } = taskWorld(
      async (ctx) => {
        await new Promise<void>((resolve) => void turns.push(resolve));
        ctx.progress(1);
        await new Promise<void>((resolve) => void turns.push(resolve));
        return 'done';
      },
      {
        store: {
          ...kept,
          async get(id) {
            const task = await kept.get(id);
            if (++reads === read) {
              for (let turn = 0; turn < 2; turn++) {
                turns[turn]?.();
                await settle();
              }
            }
            return task;
          },
          // It would report the changes of other processes.
          watch: () => () => undefined,
        },
      },
    );
    const raw = await augmented(server);
    const taskId = await begin(raw, { task: {} });
    reads = 0;
    expect(await raw.result('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'done' }] });
  },
);

test('a question that is answered while another stream reads the task is not asked again', async () => {
  const kept = memoryTasks();
  let reads = 0;
  const store: TaskStore = {
    ...kept,
    async get(id) {
      const task = await kept.get(id);
      // The record of the second stream: the question is answered before it arrives.
      if (++reads === 4) await settle(20);
      return task;
    },
  };
  const { server } = taskWorld(async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`, { store });
  const raw = await augmented(server, { answer: () => yes });
  const taskId = await begin(raw, { task: {} });
  await get(raw, taskId);
  reads = 0;
  const both = await Promise.all([raw.result('tasks/result', { taskId }), raw.result('tasks/result', { taskId })]);
  expect(both.map(({ content }) => content)).toEqual(Array(2).fill([{ type: 'text', text: 'Paid true' }]));
  expect(raw.asked).toHaveLength(1);
});

test('a result that is an error is a failed task with a reason, and tasks/result returns it all the same', async () => {
  verifies('TASK-27', 'TASK-45', 'TASK-46');
  const raw = await augmented(taskWorld(() => Promise.reject(new ToolError('No paper'))).server);
  const taskId = await begin(raw, { task: {} });
  expect(await get(raw, taskId)).toMatchObject({ status: 'failed', statusMessage: 'No paper' });
  expect(await raw.result('tasks/result', { taskId })).toMatchObject({
    isError: true,
    content: [{ text: 'No paper' }],
  });
  const broken = await augmented(taskWorld(() => Promise.reject(new RpcError(-32_603, 'Broken'))).server);
  const other = await begin(broken, { task: {} });
  expect(await broken.error('tasks/result', { taskId: other })).toEqual({ code: -32_603, message: 'Broken' });
});

test('a question that the caller cannot be asked is an error of the tool, and names the capability', async () => {
  const { server } = taskWorld((ctx) => ctx.confirm('go', 'Go?').then(String));
  const raw = await augmented(server, { capabilities: {} });
  const taskId = await begin(raw, { task: {} });
  expect(await raw.result('tasks/result', { taskId })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('elicitation') }],
  });
});

test('cancelling answers with the cancelled task, and a task that has ended cannot be cancelled', async () => {
  verifies('TASK-38', 'TASK-40', 'TASK-41', 'TASK-110');
  const raw = await augmented(taskWorld(() => new Promise(() => undefined)).server);
  const taskId = await begin(raw, { task: {} });
  expect(await raw.result('tasks/cancel', { taskId })).toMatchObject({ taskId, status: 'cancelled' });
  expect(await raw.error('tasks/cancel', { taskId })).toMatchObject({ code: -32602 });
  expect(await raw.error('tasks/result', { taskId })).toMatchObject({ code: -32603 });
});

test('progress goes to the first token for the whole life of the task, and changes of status are told', async () => {
  verifies('TASK-19', 'TASK-31', 'TASK-34', 'PROGRESS-011', 'PROGRESS-012');
  let step = (_done: number): void => undefined;
  let finish = (): void => undefined;
  const { server } = taskWorld(
    (ctx) =>
      new Promise<string>((resolve) => {
        step = (done) => ctx.progress(done, 2);
        finish = () => resolve('done');
      }),
  );
  const raw = await augmented(server);
  const taskId = await begin(raw, { task: {}, _meta: { progressToken: 'p' } });
  step(1);
  await settle();
  expect(raw.pushed).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1, total: 2, _meta: { [RELATED]: { taskId } } },
    },
  ]);
  finish();
  await settle();
  expect(raw.pushed.at(-1)).toMatchObject({
    method: 'notifications/tasks/status',
    params: { taskId, status: 'completed' },
  });
  expect(raw.pushed.at(-1)?.params?.['_meta']).toBeUndefined();
  const told = raw.pushed.length;
  step(2);
  await settle();
  expect(raw.pushed).toHaveLength(told);
});

test('tasks/list pages through the tasks of this caller alone', async () => {
  verifies('TASK-35', 'TASK-36', 'TASK-37', 'TASK-44', 'TASK-47', 'TASK-49');
  const { server } = taskWorld(() => 'done', { maxTasksPerCaller: 1_000 });
  const ada = await augmented(server, { auth: callerNamed('ada') });
  const eve = await augmented(server, { auth: callerNamed('eve') });
  const ids: string[] = [];
  for (let n = 0; n < 101; n++) {
    const { task } = (await ada.result('tools/call', { name: 'work', task: {} })) as { task: JsonObject };
    ids.push(String(task['taskId']));
  }
  await settle();
  const listed = (page: JsonObject): unknown[] => (page['tasks'] as JsonObject[]).map(({ taskId }) => taskId);
  const first = await ada.result('tasks/list');
  const second = await ada.result('tasks/list', { cursor: first['nextCursor'] });
  expect(new Set([...listed(first), ...listed(second)])).toEqual(new Set(ids));
  expect([listed(first).length, listed(second).length, second['nextCursor']]).toEqual([100, 1, undefined]);
  expect(await eve.result('tasks/list')).toEqual({ tasks: [] });
  expect(await eve.error('tasks/list', { cursor: first['nextCursor'] })).toMatchObject({ code: -32602 });
  expect(await eve.error('tasks/result', { taskId: ids[0] })).toEqual({ code: -32602, message: 'Unknown task' });
});

/** One handler with a question, progress and a result, in the form of each revision. */
test.each(everyRevision)('the same handler asks, reports and ends in %s', async (revision) => {
  const { server } = taskWorld(async (ctx) => {
    ctx.progress(1, 2, 'asking');
    return `Paid ${await ctx.confirm('go', 'Pay?')}`;
  });
  const isHandle = revision === everyRevision.at(-1);
  const all = { ...capabilities, ...(isHandle ? { extensions: { [TASKS]: {} } } : {}) };
  const raw = await open(server, { revision, capabilities: all, answer: () => yes });
  const task = revision === '2025-11-25' ? { task: {} } : {};
  const first = await raw.result('tools/call', { name: 'work', ...task, _meta: { progressToken: 'p' } });
  await settle();
  const text = (result: JsonObject): unknown => (result['content'] as { text: string }[])[0]?.text;
  if (isHandle) {
    const taskId = String(first['taskId']);
    await raw.result('tasks/update', { taskId, inputResponses: { go: yes } });
    await settle();
    expect(text((await get(raw, taskId))['result'] as JsonObject)).toBe('Paid true');
  } else if ('task' in task) {
    const { taskId } = first['task'] as { taskId: string };
    expect(text(await raw.result('tasks/result', { taskId }))).toBe('Paid true');
  } else {
    const canAsk = revision === '2025-06-18';
    expect(text(first)).toMatch(canAsk ? /^Paid true$/ : /does not support elicitation/);
    expect(raw.heard.map(({ method }) => method)).toContain('notifications/progress');
  }
});

test.each(everyRevision.slice(0, 3))('a tool that needs a task says so to the model in %s', async (revision) => {
  const raw = await open(taskWorld(() => 'done', { task: 'required' }).server, { revision });
  expect(await raw.result('tools/call', { name: 'work' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('does not support tasks') }],
  });
});

test('a time to live is taken as asked for, up to a limit, and a task is gone when it is over', async () => {
  verifies('TASK-11', 'TASK-23', 'TASK-55', 'TASK-56');
  const store = memoryTasks();
  const { server, clock } = taskWorld(() => 'done', { maxTtlMs: 3_600_000, store, task: { keepMs: 1 } });
  const raw = await augmented(server);
  const asked = async (ttl: number): Promise<JsonObject> =>
    ((await raw.result('tools/call', { name: 'work', task: { ttl } })) as { task: JsonObject }).task;
  expect(await asked(9_999_999_999)).toMatchObject({ ttl: 3_600_000 });
  const { taskId } = (await asked(120_000)) as { taskId: string };
  await settle();
  await clock.advance(119_000);
  expect(await store.get(taskId)).toBeDefined();
  await clock.advance(3_000);
  expect(await store.get(taskId)).toBeUndefined();
});

test('a change of status by another process is told too, once', async () => {
  const store = memoryTasks();
  const { server, clock } = taskWorld(() => new Promise(() => undefined), { store });
  const raw = await augmented(server);
  const taskId = await begin(raw, { task: {} });
  const other = await augmented(taskWorld(() => 'x', { store, clock }).server);
  await other.result('tasks/cancel', { taskId });
  await clock.advance(3_000);
  await settle();
  const told = raw.pushed.filter(({ method }) => method === 'notifications/tasks/status');
  expect(told.map(({ params }) => params?.['status'])).toEqual(['cancelled']);
});
