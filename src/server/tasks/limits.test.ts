/** Limits of tasks per task, caller and process; faults of stores; mistakes that a replay of a task detects. */
import { expect, test, vi } from 'vitest';
import {
  accept,
  begin,
  callerNamed,
  declared,
  get,
  handleCaller,
  settle,
  taskWorld,
  textOfTask,
  update,
  yes,
} from '../../../test/support/tasks.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { LISTEN } from '../../model/names.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { createServer } from '../server.ts';
import { tool } from '../tool.ts';
import { MAX_FINISHED } from './finished-tasks.ts';
import { memoryTasks } from './memory-store.ts';

test.each([
  [{ maxTasksPerCaller: 1 }, 'maxTasksPerCaller'],
  [{ maxTasks: 1 }, 'maxTasks'],
])('with %j, one more task is rejected by the name of the limit', async (limits, name) => {
  verifies('TASK-54');
  const { server } = taskWorld(() => new Promise(() => undefined), limits);
  const raw = await handleCaller(server, { auth: callerNamed('ada') });
  await begin(raw);
  expect(await raw.error('tools/call', { name: 'work' })).toMatchObject({
    code: -32603,
    message: expect.stringContaining(`(${name})`),
  });
});

test('calls that come at the same time do not exceed the limit of their caller, however long the store takes', async () => {
  const memory = memoryTasks();
  const late = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    await settle(10);
    return value;
  };
  const store: TaskStore = {
    ...memory,
    count: (owner) => late(memory.count(owner)),
    create: (task) => late(memory.create(task)),
  };
  const { server } = taskWorld(() => new Promise(() => undefined), { maxTasksPerCaller: 3, store });
  const [ada, bob] = [
    await handleCaller(server, { auth: callerNamed('ada') }),
    await handleCaller(server, { auth: callerNamed('bob') }),
  ];
  const responses = await Promise.all(
    [...Array<typeof ada>(10).fill(ada), bob].map((caller) => caller.request('tools/call', { name: 'work' })),
  );
  expect(responses.filter((response) => 'result' in response)).toHaveLength(4);
  expect(await memory.count()).toBe(4);
});

test('a store whose create() takes limits enforces them itself: the server does not count', async () => {
  const memory = memoryTasks();
  const given: unknown[] = [];
  const store: TaskStore = {
    ...memory,
    create: (task, limits) => {
      given.push(limits);
      return memory.create(task, limits);
    },
    count: () => Promise.reject(new Error('counted')),
  };
  const { server } = taskWorld(() => new Promise(() => undefined), { maxTasks: 3, maxTasksPerCaller: 2, store });
  const ada = await handleCaller(server, { auth: callerNamed('ada') });
  const nameless = await handleCaller(server);
  const responses = await Promise.all([ada, ada, ada].map((caller) => caller.request('tools/call', { name: 'work' })));
  expect(responses.filter((response) => 'result' in response)).toHaveLength(2);
  await begin(nameless);
  expect(await nameless.error('tools/call', { name: 'work' })).toMatchObject({
    message: 'Too many unfinished tasks: 3 (maxTasks)',
  });
  const limits = { maxTasks: 3, maxBytes: 512 * 1024 * 1024 };
  expect(given).toEqual([...Array(3).fill({ ...limits, maxTasksPerCaller: 2 }), ...Array(2).fill(limits)]);
});

test('a process runs so many tasks at once, and the others wait for their turn', async () => {
  const finish: (() => void)[] = [];
  const { server, clock } = taskWorld(() => new Promise<string>((resolve) => finish.push(() => resolve('done'))), {
    maxRunning: 1,
  });
  const raw = await handleCaller(server);
  const ids = [await begin(raw), await begin(raw)];
  expect(finish).toHaveLength(1);
  finish[0]?.();
  await clock.advance(2_000);
  await settle();
  expect(finish).toHaveLength(2);
  finish[1]?.();
  await settle();
  for (const id of ids) expect(textOfTask(await get(raw, id))).toBe('done');
});

test('tasks that begin in one turn are no more at once than those that come one by one, and the next begins when one ends', async () => {
  const finish: (() => void)[] = [];
  const { server } = taskWorld(() => new Promise<string>((resolve) => finish.push(() => resolve('done'))), {
    maxRunning: 2,
  });
  const raw = await handleCaller(server);
  const ids = await Promise.all(Array.from({ length: 5 }, () => begin(raw)));
  for (let ended = 0; ended < 5; ended++) {
    expect(finish).toHaveLength(Math.min(5, ended + 2));
    finish[ended]?.();
    await settle();
  }
  for (const id of ids) expect(textOfTask(await get(raw, id))).toBe('done');
});

test('tasks that were cancelled or rejected while they were queued leave the queue', async () => {
  let finish = (): void => undefined;
  // A store of another kind, whose calls can be observed.
  const store = { ...memoryTasks() };
  const { server } = taskWorld(() => new Promise<string>((resolve) => (finish = () => resolve('done'))), {
    store,
    maxRunning: 1,
    maxTasks: 3,
  });
  const raw = await handleCaller(server);
  const first = await begin(raw);
  const cancelled = [await begin(raw), await begin(raw)];
  await expect(begin(raw)).rejects.toThrow('maxTasks');
  for (const taskId of cancelled) await raw.request('tasks/cancel', { taskId });
  const [reads, writes] = [vi.spyOn(store, 'get'), vi.spyOn(store, 'put')];
  finish();
  await settle();
  expect(reads).not.toHaveBeenCalled();
  expect(writes.mock.calls.map(([{ id }]) => id)).toEqual([first]);
});

test('a finished task that made room for others reads like one that never was, and so does its result', async () => {
  const store = memoryTasks();
  const { server } = taskWorld(() => 'done', { store });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  await settle();
  expect(textOfTask(await get(raw, taskId))).toBe('done');
  const ended = await store.get(taskId);
  // As many other tasks of the same owner end.
  for (let n = 0; n < MAX_FINISHED; n++) await store.create({ ...ended, id: `other ${n}` } as StoredTask); // it was stored above
  const unknown = await raw.error('tasks/get', { taskId: 'never' });
  expect(unknown).toMatchObject({ code: -32602 });
  for (const method of ['tasks/get', 'tasks/cancel']) expect(await raw.error(method, { taskId })).toEqual(unknown);
});

test('tasks that are answered at once run no more at a time than others', async () => {
  let [running, most] = [0, 0];
  const { server } = taskWorld(
    async (ctx) => {
      await ctx.confirm('sure', 'Sure?');
      most = Math.max(most, ++running);
      await settle();
      running--;
      return 'done';
    },
    { maxRunning: 1 },
  );
  const raw = await handleCaller(server);
  const ids = [await begin(raw), await begin(raw), await begin(raw)];
  await Promise.all(ids.map((id) => update(raw, id, { sure: yes })));
  for (let turn = 0; turn < 20; turn++) await settle();
  expect(most).toBe(1);
  for (const id of ids) expect(textOfTask(await get(raw, id))).toBe('done');
});

test('polls of one task are limited per second, and an outcome that is too large is a failure that says so', async () => {
  verifies('TASK-53', 'TASK-74');
  const { server, clock } = taskWorld(() => 'x'.repeat(1_100_000));
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  expect(textOfTask(await get(raw, taskId))).toContain('larger than 1048576 bytes');
  for (let poll = 0; poll < 9; poll++) await get(raw, taskId);
  expect(await raw.error('tasks/get', { taskId })).toMatchObject({
    code: -32603,
    message: expect.stringContaining('10 times a second'),
  });
  await clock.advance(1_000);
  await get(raw, taskId);
});

test('answers that are too large are rejected by their size, and the question stays open', async () => {
  const { server, errors } = taskWorld((ctx) => ctx.confirm('sure', 'Sure?').then(String));
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const inputResponses = { sure: accept({ confirm: true, note: 'x'.repeat(1_100_000) }) };
  expect(await raw.error('tasks/update', { taskId, inputResponses })).toMatchObject({
    code: -32602,
    message: 'The answers are too large: a task holds 1048576 characters of answers and results',
  });
  expect(errors).toEqual([]);
  await update(raw, taskId, { sure: yes });
  expect(textOfTask(await get(raw, taskId))).toBe('true');
});

test.each([
  ['in memory', memoryTasks],
  ['of another kind', () => ({ ...memoryTasks() })],
])('unfinished tasks in a store %s are limited in bytes: calls, answers and steps', async (_, makeStore) => {
  verifies('TASK-54');
  const maxBytes = 100_000;
  const large = 'x'.repeat(30_000);
  const message = `Too many bytes in unfinished tasks: ${maxBytes} (maxBytes)`;
  const { server } = taskWorld(
    async (ctx) => {
      await ctx.ask('go', 'Go on?', { type: 'object', properties: { note: { type: 'string' } } });
      return ctx.once('large', () => large);
    },
    { store: makeStore(), maxBytes },
  );
  const raw = await handleCaller(server);
  const call = { name: 'work', arguments: { large } };
  const taskId = await begin(raw, call);
  expect(await raw.error('tools/call', call)).toEqual({ code: -32603, message });
  const small = await begin(raw);
  const answer = (note: string) => ({ taskId: small, inputResponses: { go: accept({ note }) } });
  expect(await raw.error('tasks/update', answer(large))).toEqual({ code: -32603, message });
  expect(await get(raw, small)).toMatchObject({ status: 'input_required' });
  // The handler continues, and its step is too large.
  await update(raw, small, answer('').inputResponses);
  expect(await get(raw, small)).toMatchObject({ status: 'failed', error: { message } });
  await raw.request('tasks/cancel', { taskId });
  await begin(raw, call);
});

test('streams that open while their tasks are looked up do not exceed the limit of open streams', async () => {
  const work = tool({ name: 'work', description: 'Works', task: true, run: () => 'done' });
  const server = createServer({ name: 'yard', version: '1', maxListeners: 2, tasks: true, parts: [work] });
  const raw = await handleCaller(server);
  const streams = Array.from({ length: 5 }, () => raw.start(LISTEN, { notifications: { taskIds: ['none'] } }));
  await settle();
  expect(streams.filter(({ heard }) => heard.length > 0)).toHaveLength(2);
  expect(await streams[4]?.response).toMatchObject({ error: { message: expect.stringContaining('(maxListeners)') } });
});

test.each([
  [50, 40],
  [0, 2_000],
  [300, 10],
])(
  'a client that is told to poll every %d ms can do so: %d polls a second, and one more is rejected',
  async (pollMs, allowed) => {
    const { server, clock } = taskWorld(() => 'done', { task: { pollMs } });
    const raw = await handleCaller(server);
    const taskId = await begin(raw);
    for (let poll = 0; poll < allowed; poll++) await get(raw, taskId);
    expect(await raw.error('tasks/get', { taskId })).toMatchObject({
      code: -32603,
      message: expect.stringContaining(`more than ${allowed} times a second`),
    });
    await clock.advance(1_000);
    expect(await get(raw, taskId)).toMatchObject({ pollIntervalMs: Math.max(1, pollMs) });
  },
);

test.each([
  [{ runMs: Infinity, askMs: Infinity, keepMs: Infinity, pollMs: Infinity }],
  [{ runMs: 0.5, askMs: 0.5, keepMs: 0.5, pollMs: 0.5 }],
  [{ runMs: 0, keepMs: 0, pollMs: 0 }],
])('times of %j are whole positive numbers for clients, and survive a store that writes JSON', async (task) => {
  verifies('TASK-116');
  const store = memoryTasks();
  const { server } = taskWorld((ctx) => ctx.confirm('sure', 'Sure?').then(String), { store, task });
  const raw = await handleCaller(server);
  const { ttlMs, pollIntervalMs, taskId } = await raw.result('tools/call', { name: 'work' });
  await settle();
  for (const ms of [ttlMs, pollIntervalMs]) expect(Number.isSafeInteger(ms) && Number(ms) > 0).toBe(true);
  const record = await store.get(String(taskId));
  expect(JSON.parse(JSON.stringify(record))).toEqual(record);
});

test('an answer goes to the question it was given to; a question that changed with the code is asked under a new key', async () => {
  verifies('TASK-87', 'TASK-88');
  let price = 5;
  const run: Parameters<typeof taskWorld>[0] = async (ctx) => {
    const agreed = await ctx.confirm('price', `It costs ${price}. Go on?`);
    return `${price} ${agreed} ${await ctx.confirm('again', 'Sure?')}`;
  };
  const store = memoryTasks();
  const same = taskWorld(run, { store });
  const raw = await handleCaller(same.server);
  const taskId = await begin(raw);
  price = 500;
  await update(raw, taskId, { price: yes });
  expect(await get(raw, taskId)).toMatchObject({
    status: 'failed',
    error: { code: -32603, message: expect.stringContaining('"price" has changed since it was asked') },
  });
  price = 5;
  const second = await begin(raw);
  await update(raw, second, { price: yes });
  price = 500;
  const deployed = taskWorld(run, { store, code: '2', clock: same.clock });
  const later = await handleCaller(deployed.server);
  await update(later, second, { again: yes });
  expect(Object.keys((await get(later, second))['inputRequests'] ?? {})).toEqual(['price~2']);
  await update(later, second, { 'price~2': yes });
  expect(textOfTask(await get(later, second))).toBe('500 true true');
});

test('what a replay cannot repair is said: a question inside a step, a key used twice, a step that no run comes back for', async () => {
  let runs = 0;
  const inStep = await handleCaller(taskWorld((ctx) => ctx.once('outer', () => ctx.confirm('go', 'Go?'))).server);
  expect(await get(inStep, await begin(inStep))).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('"outer" asks a question') },
  });
  const { server, warnings } = taskWorld(async (ctx) => {
    await ctx.once(`key-${++runs}`, () => 1);
    const pages = [await ctx.once('page', () => 1), await ctx.once('page', () => 2)];
    return `${pages.join()} ${await ctx.confirm('go', 'Go?')}`;
  });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  await update(raw, taskId, { go: yes });
  expect(textOfTask(await get(raw, taskId))).toBe('1,1 true');
  expect(warnings).toEqual([expect.stringContaining('"page" twice'), expect.stringContaining('"key-1"')]);
});

test('failures of steps and what JSON makes of values are the same in every run of a task', async () => {
  let charges = 0;
  const seen: unknown[] = [];
  const { server } = taskWorld(async (ctx) => {
    seen.push(await ctx.once('date', () => ({ at: new Date(0) })), await ctx.once('nothing', () => undefined));
    const paid = await ctx
      .once('charge', () => {
        charges++;
        throw new ToolError('declined');
      })
      .catch((error: Error) => error.message);
    return `${String(paid)} ${await ctx.confirm('cash', 'Cash?')}`;
  });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  await update(raw, taskId, { cash: yes });
  expect(textOfTask(await get(raw, taskId))).toBe('declined true');
  const json = { at: '1970-01-01T00:00:00.000Z' };
  expect([charges, seen]).toEqual([1, [json, undefined, json, undefined]]);
});

test('a step that a question leaves behind is recorded before the handler is replayed', async () => {
  let began = 0;
  let finish = (): void => undefined;
  const { server } = taskWorld(async (ctx) => {
    const slow = ctx.once(
      'slow',
      () =>
        new Promise<string>((resolve) => {
          began++;
          finish = () => resolve('s');
        }),
    );
    const [ok, value] = await Promise.all([ctx.confirm('go', 'Go?'), slow]);
    return `${ok} ${value}`;
  });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  expect(await get(raw, taskId)).toMatchObject({ status: 'input_required' });
  await update(raw, taskId, { go: yes });
  expect(await get(raw, taskId)).toMatchObject({ status: 'working' });
  finish();
  await settle(40);
  expect(textOfTask(await get(raw, taskId))).toBe('true s');
  expect(began).toBe(1);
});

test('a question that the caller cannot be asked fails the task with the capability it lacks', async () => {
  const { server } = taskWorld((ctx) => ctx.confirm('go', 'Go?').then(String));
  const raw = await handleCaller(server, { capabilities: { extensions: declared['extensions'] } });
  expect(await get(raw, await begin(raw))).toMatchObject({ status: 'failed', error: { code: -32021 } });
});

test.each<[keyof TaskStore, string, JsonObject]>([
  ['create', 'tools/call', { name: 'work' }],
  ['count', 'tools/call', { name: 'work' }],
  ['get', 'tasks/get', { taskId: 'it' }],
])('a request whose task store does not settle at %s fails after thirty seconds', async (stuck, method, params) => {
  const memory = memoryTasks();
  // A store that leaves limits to the server, which counts.
  const create: TaskStore['create'] = (task) => memory.create(task);
  const store = { ...memory, create, [stuck]: () => new Promise(() => undefined) };
  const { server, clock, errors } = taskWorld(() => 'done', { store });
  const raw = await handleCaller(server);
  let failed: unknown;
  void raw.error(method, params).then((error) => (failed = error));
  await settle();
  await clock.advance(29_999);
  expect(failed).toBeUndefined();
  await clock.advance(1);
  await settle();
  expect(failed).toMatchObject({ code: -32603, message: expect.stringMatching(/^Internal error/) });
  expect(errors.map(String)).toContainEqual(expect.stringContaining(`${stuck} of the task store took longer than`));
});

test.each<[string, unknown]>([
  ['text', '{}'],
  ['an object', { task: {} }],
  ['a list', []],
])('a task store that returns %s fails its callers, and is named to the operator', async (what, returned) => {
  const store = { ...memoryTasks(), get: async () => returned as StoredTask };
  const { server, errors } = taskWorld(() => 'done', { store });
  const raw = await handleCaller(server);
  expect(await raw.error('tasks/get', { taskId: 'it' })).toMatchObject({ code: -32603 });
  expect(errors.map(String)).toEqual([expect.stringContaining(`get of the task store: it returned ${what}`)]);
});

test('a task store can return null for a missing task', async () => {
  const store = { ...memoryTasks(), get: async () => null as unknown as undefined };
  const raw = await handleCaller(taskWorld(() => 'done', { store }).server);
  expect(await raw.error('tasks/get', { taskId: 'it' })).toMatchObject({ code: -32602, message: 'Unknown task' });
});
