/** Tasks in the form of the extension: how they begin, ask and end. */
import { expect, test } from 'vitest';
import { open } from '../../../test/support/raw.ts';
import {
  accept,
  begin,
  callerNamed,
  get,
  handleCaller,
  nameForm,
  settle,
  TASKS,
  taskWorld,
  textOfTask,
  update,
  yes,
} from '../../../test/support/tasks.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { fromBase64Url } from '../../model/base64.ts';
import { LISTEN } from '../../model/names.ts';
import { type Layer, type Link, linkWith } from '../../peer/exchange.ts';
import type { Context } from '../context.ts';
import { use } from '../server.ts';
import { tool } from '../tool.ts';
import { memoryTasks } from './memory-store.ts';

const HOUR = 3_600_000;

const unknown = { code: -32602, message: 'Unknown task' };

test('a call becomes a flat handle that can be polled at once, and its result is in the state', async () => {
  verifies(
    'TASK-12',
    'TASK-63',
    'TASK-69',
    'TASK-70',
    'TASK-71',
    'TASK-77',
    'TASK-78',
    'TASK-79',
    'TASK-82',
    'TASK-111',
    'TASK-115',
    'TASK-116',
  );
  let finish = (): void => undefined;
  const { server } = taskWorld(
    () =>
      new Promise<string>((resolve) => {
        finish = () => resolve('Rendered');
      }),
  );
  const raw = await handleCaller(server);
  const handle = await raw.result('tools/call', { name: 'work' });
  expect(handle).toEqual({
    resultType: 'task',
    taskId: expect.stringMatching(/^[\w-]{43}$/),
    status: 'working',
    createdAt: '2001-09-09T01:46:40.000Z',
    lastUpdatedAt: '2001-09-09T01:46:40.000Z',
    ttlMs: 1.25 * HOUR,
    pollIntervalMs: 1_000,
    _meta: expect.anything(),
  });
  const taskId = String(handle['taskId']);
  expect(await get(raw, taskId)).toEqual({ ...handle, resultType: 'complete' });
  await settle();
  finish();
  await settle();
  expect(await get(raw, taskId)).toMatchObject({
    resultType: 'complete',
    status: 'completed',
    result: { content: [{ type: 'text', text: 'Rendered' }] },
  });
});

test('a caller that does not declare the extension gets a plain result, and cannot ask about tasks', async () => {
  verifies('TASK-64', 'TASK-67', 'TASK-95', 'TASK-100', 'TASK-112', 'EXT-3', 'EXT-7');
  const { server } = taskWorld(() => 'done');
  const raw = await open(server, { capabilities: { tasks: { requests: {} } } });
  expect(await raw.result('tools/call', { name: 'work' })).toMatchObject({ content: [{ text: 'done' }] });
  const missing = { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } };
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    // Checked before anything else.
    expect(await raw.error(method, { taskId: 7 })).toMatchObject(missing);
  }
  expect(await raw.error(LISTEN, { notifications: { taskIds: ['x'] } })).toMatchObject(missing);
  const needy = await open(taskWorld(() => 'done', { task: 'required' }).server);
  expect(await needy.error('tools/call', { name: 'work' })).toMatchObject(missing);
});

test('discovery declares the extension, and no member of the older form is known', async () => {
  verifies('TASK-62', 'TASK-106', 'TASK-107', 'TASK-108', 'TASK-114', 'TASK-125', 'EXT-5');
  const plain = tool({ name: 'plain', run: () => 'plain' });
  const { server } = taskWorld(() => 'done', { parts: [plain] });
  const raw = await handleCaller(server);
  const { capabilities } = (await raw.result('server/discover')) as { capabilities: JsonObject };
  expect(capabilities['extensions']).toEqual({ [TASKS]: {} });
  expect(capabilities['tasks']).toBeUndefined();
  for (const method of ['tasks/result', 'tasks/list'])
    expect(await raw.error(method, {})).toMatchObject({ code: -32601 });
  expect(await raw.result('tools/call', { name: 'plain', task: {} })).toMatchObject({ content: [{ text: 'plain' }] });
  const off = await handleCaller(taskWorld(() => 'x').server, { revision: '2026-07-28' });
  expect(await off.error('tasks/get', { taskId: 'x' })).toEqual(unknown);
});

test('a server without tasks runs a tool with "task" as an ordinary call, and warns', async () => {
  verifies('EXT-5');
  const warnings: string[] = [];
  const { createServer } = await import('../server.ts');
  const work = tool({ name: 'work', description: 'Works', task: 'required', run: () => 'done' });
  const server = createServer({ name: 'y', version: '1', parts: [work], onWarning: (one) => void warnings.push(one) });
  const raw = await handleCaller(server);
  expect(await raw.result('tools/call', { name: 'work' })).toMatchObject({ content: [{ text: 'done' }] });
  expect(await raw.error('tasks/get', { taskId: 'x' })).toMatchObject({ code: -32601 });
  expect(warnings).toEqual([expect.stringContaining('"work" has "task"')]);
});

test('a tool error completes the task; only an error of the protocol fails it', async () => {
  verifies('TASK-81', 'TASK-82', 'TASK-83');
  const failing = await handleCaller(taskWorld(() => Promise.reject(new ToolError('No paper'))).server);
  expect(await get(failing, await begin(failing))).toMatchObject({
    status: 'completed',
    result: { isError: true, content: [{ text: 'No paper' }] },
  });
  const broken = await handleCaller(taskWorld(() => Promise.reject(new RpcError(-32_603, 'Broken', { a: 1 }))).server);
  const state = await get(broken, await begin(broken));
  expect(state).toMatchObject({
    status: 'failed',
    statusMessage: 'Broken',
    error: { code: -32_603, message: 'Broken', data: { a: 1 } },
  });
  expect(state['result']).toBeUndefined();
});

test('open questions are in the state; an answered one is gone at once, and the last answer completes the task', async () => {
  verifies('TASK-16', 'TASK-18', 'TASK-77', 'TASK-90', 'TASK-91', 'TASK-92', 'TASK-119');
  const { server } = taskWorld(async (ctx) => {
    const names = await Promise.all([ctx.ask('a', 'A?', nameForm), ctx.ask('b', 'B?', nameForm)]);
    return names.map(({ value }) => value?.['name']).join(' and ');
  });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const keys = async (): Promise<unknown> => Object.keys((await get(raw, taskId))['inputRequests'] ?? {}).sort();
  expect(await keys()).toEqual(['a', 'b']);
  const wrong = { taskId, inputResponses: { a: { action: 'shrug' } } };
  expect(await raw.error('tasks/update', wrong)).toMatchObject({
    code: -32602,
    message: expect.stringContaining('"action"'),
  });
  const ack = await raw.result('tasks/update', { taskId, inputResponses: { a: accept({ name: 'Ada' }), x: {} } });
  expect(ack).toEqual({ resultType: 'complete', _meta: expect.anything() });
  expect(await keys()).toEqual(['b']);
  await settle();
  expect(await get(raw, taskId)).toMatchObject({ status: 'input_required' });
  await update(raw, taskId, { a: accept({ name: 'Eve' }), b: accept({ name: 'Bob' }) });
  expect(textOfTask(await get(raw, taskId))).toBe('Ada and Bob');
});

test('cancelling ends the task at once and is acknowledged the same way however often', async () => {
  verifies('TASK-39', 'TASK-40', 'TASK-41', 'TASK-17', 'TASK-90', 'TASK-97', 'TASK-118');
  let aborted: unknown;
  const { server } = taskWorld(
    (ctx) =>
      new Promise((resolve) => {
        ctx.signal.addEventListener('abort', () => {
          aborted = ctx.signal.reason;
          resolve('too late');
        });
      }),
  );
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const ack = { resultType: 'complete', _meta: expect.anything() };
  expect(await raw.result('tasks/cancel', { taskId })).toEqual(ack);
  expect(await get(raw, taskId)).toMatchObject({ status: 'cancelled' });
  await settle();
  expect(aborted).toBeDefined();
  expect(await get(raw, taskId)).toMatchObject({ status: 'cancelled' });
  expect(await raw.result('tasks/cancel', { taskId })).toEqual(ack);
});

test('unknown, expired and foreign tasks are byte-equal errors, for every method and in subscriptions', async () => {
  verifies('TASK-44', 'TASK-48', 'TASK-93', 'TASK-94', 'TASK-103', 'TASK-104', 'TASK-117');
  const { server, clock } = taskWorld(() => 'done');
  const ada = await handleCaller(server, { auth: callerNamed('ada') });
  const eve = await handleCaller(server, { auth: callerNamed('eve') });
  const taskId = await begin(ada);
  expect(await get(ada, taskId)).toMatchObject({ status: 'completed' });
  const others = async (): Promise<unknown[]> =>
    Promise.all(
      ['tasks/get', 'tasks/update', 'tasks/cancel'].flatMap((method) =>
        [taskId, 'never'].map((id) => eve.error(method, { taskId: id, inputResponses: {} })),
      ),
    );
  for (const error of await others()) expect(JSON.stringify(error)).toBe(JSON.stringify(unknown));
  const stream = eve.start(LISTEN, { notifications: { taskIds: [taskId] } });
  await settle();
  expect(stream.heard).toMatchObject([{ params: { notifications: { taskIds: [] } } }]);
  await clock.advance(1.25 * HOUR - 1);
  expect(await get(ada, taskId)).toMatchObject({ status: 'completed', ttlMs: 1.25 * HOUR });
  await clock.advance(1);
  expect(await ada.error('tasks/get', { taskId })).toEqual(unknown);
});

test('the scopes of the tool are asked for again, and callers that cannot be told apart need the id alone', async () => {
  verifies('TASK-50', 'TASK-104');
  const { server } = taskWorld(() => 'done', { scopes: ['render'] });
  const taskId = await begin(await handleCaller(server, { auth: callerNamed('ada', ['render']) }));
  const lesser = await handleCaller(server, { auth: callerNamed('ada', []) });
  expect(await lesser.error('tasks/get', { taskId })).toMatchObject({
    code: -32600,
    message: expect.stringContaining('render'),
  });
  const open = taskWorld(() => 'done').server;
  const shared = await begin(await handleCaller(open));
  expect(fromBase64Url(shared)).toHaveLength(32);
  expect(await begin(await handleCaller(open))).not.toBe(shared);
  expect(await get(await handleCaller(open), shared)).toMatchObject({ status: 'completed' });
});

test('progress becomes the status message, at most once a second, and the last word is not lost', async () => {
  verifies('TASK-101');
  let step = (_done: number, _message?: string): void => undefined;
  const { server, clock } = taskWorld(
    (ctx) =>
      new Promise(() => {
        step = (done, message) => ctx.progress(done, 40, message);
      }),
  );
  const raw = await handleCaller(server);
  const started = raw.start('tools/call', { name: 'work', _meta: { progressToken: 'p' } });
  const taskId = String(((await started.response) as { result: JsonObject }).result['taskId']);
  await settle();
  const message = async (): Promise<unknown> => (await get(raw, taskId))['statusMessage'];
  step(1);
  await clock.advance(0);
  expect(await message()).toBe('1 of 40');
  step(2);
  step(3, 'third');
  await clock.advance(500);
  expect(await message()).toBe('1 of 40');
  await clock.advance(500);
  expect(await message()).toBe('third');
  expect([...started.heard, ...raw.pushed]).toEqual([]);
});

test('a stream with taskIds tells the whole state now and at each change, of tasks of its caller', async () => {
  verifies('TASK-99', 'TASK-121', 'TASK-122');
  const { server } = taskWorld(async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`);
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const stream = raw.start(LISTEN, { notifications: { taskIds: [taskId, 'never'], toolsListChanged: true } });
  await settle();
  const tag = { 'io.modelcontextprotocol/subscriptionId': expect.anything() };
  expect(stream.heard[0]).toMatchObject({
    params: { notifications: { taskIds: [taskId], toolsListChanged: true }, _meta: tag },
  });
  await update(raw, taskId, { go: yes });
  const told = stream.heard.slice(1).map(({ method, params }) => [method, params?.['status']]);
  expect(told[0]).toEqual(['notifications/tasks', 'input_required']);
  expect(told.at(-1)).toEqual(['notifications/tasks', 'completed']);
  const { _meta, resultType, ...state } = await get(raw, taskId);
  expect(stream.heard.at(-1)?.params).toEqual({ ...state, _meta: tag });
  const many = { notifications: { taskIds: Array.from({ length: 101 }, (_, i) => `${i}`) } };
  expect(await raw.error(LISTEN, many)).toMatchObject({ code: -32602, message: expect.stringContaining('100') });
  expect(await raw.error(LISTEN, { notifications: { taskIds: 'x' } })).toMatchObject({ code: -32602 });
});

test('a stream with taskIds sends nothing when a task changes in a way that its caller does not see', async () => {
  const turns: (() => void)[] = [];
  const wait = (): Promise<void> => new Promise((resolve) => void turns.push(resolve));
  const { server } = taskWorld(async (ctx) => {
    await wait();
    for (const step of ['first', 'second']) await ctx.once(step, wait);
    await wait();
    return 'done';
  });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const stream = raw.start(LISTEN, { notifications: { taskIds: [taskId] } });
  for (let turn = 0; turn < 4; turn++) {
    await settle();
    turns[turn]?.();
  }
  await settle();
  expect(stream.heard.slice(1).map(({ params }) => params?.['status'])).toEqual(['working', 'completed']);
});

test('questions before ctx.detach() are rounds, and what they brought is in the task; a round sent twice is one task', async () => {
  verifies('TASK-72', 'TASK-111', 'TASK-123', 'TASK-124');
  const deeds: string[] = [];
  const { server } = taskWorld(
    async (ctx) => {
      const deed = (key: string, value: string): string => {
        deeds.push(key);
        return value;
      };
      const before = await ctx.once('before', ({ idempotencyKey }) => deed(idempotencyKey, 'b'));
      const { value } = await ctx.ask('name', 'Your name?', nameForm);
      await ctx.detach();
      const after = await ctx.once('after', ({ idempotencyKey }) => deed(idempotencyKey, ctx.task?.id ?? ''));
      return `${before} ${String(value?.['name'])} ${await ctx.confirm('go', 'Go?')} ${after}`;
    },
    { task: { begins: 'on detach' } },
  );
  const raw = await handleCaller(server, { answer: () => accept({ name: 'Ada' }) });
  const round = await raw.result('tools/call', { name: 'work' });
  expect(round).toMatchObject({ resultType: 'input_required' });
  expect(round['taskId']).toBeUndefined();
  const params = { name: 'work', ...raw.answers(round) };
  const handle = await raw.result('tools/call', params);
  const again = await raw.result('tools/call', params);
  expect(handle).toMatchObject({ resultType: 'task', status: 'working' });
  expect(handle['requestState'] ?? handle['inputRequests']).toBeUndefined();
  expect(again['taskId']).toBe(handle['taskId']);
  await settle();
  const taskId = String(handle['taskId']);
  expect(Object.keys((await get(raw, taskId))['inputRequests'] ?? {})).toEqual(['go']);
  await update(raw, taskId, { go: yes });
  expect(textOfTask(await get(raw, taskId))).toBe(`b Ada true ${taskId}`);
  // One act each, with keys of a common prefix that does not reveal the task.
  const stems = deeds.map((key) => key.split(':')[0]);
  expect(deeds.map((key) => key.split(':')[1])).toEqual(['before', 'after']);
  expect(new Set(stems).size).toBe(1);
  expect(deeds.join()).not.toContain(taskId);
});

test('with afterMs a short call stays plain and a long one becomes a task, steps that run included', async () => {
  let finish = (): void => undefined;
  let runs = 0;
  const { server, clock } = taskWorld(
    async (ctx) => {
      const value = await ctx.once(
        'work',
        () =>
          new Promise<string>((resolve) => {
            runs++;
            finish = () => resolve('w');
          }),
      );
      return `${value} ${await ctx.confirm('go', 'Go?')}`;
    },
    { task: { begins: { afterMs: 500 } } },
  );
  const raw = await handleCaller(server, { answer: () => yes });
  const short = raw.result('tools/call', { name: 'work' });
  await settle();
  finish();
  expect(await short).toMatchObject({ resultType: 'input_required' });
  const long = raw.result('tools/call', { name: 'work' });
  await settle();
  await clock.advance(500);
  const handle = await long;
  expect(handle).toMatchObject({ resultType: 'task' });
  finish();
  await settle();
  const taskId = String(handle['taskId']);
  expect(await get(raw, taskId)).toMatchObject({ status: 'input_required' });
  await update(raw, taskId, { go: yes });
  expect(textOfTask(await get(raw, taskId))).toBe('w true');
  expect(runs).toBe(2);
});

test('a step before ctx.detach() counts as used in the task, and is not reported as missing', async () => {
  const { server, warnings } = taskWorld(
    async (ctx) => {
      const before = await ctx.once('before', () => 'b');
      await ctx.detach();
      return before;
    },
    { task: { begins: 'on detach' } },
  );
  const raw = await handleCaller(server);
  expect(textOfTask(await get(raw, await begin(raw)))).toBe('b');
  expect(warnings).toEqual([]);
});

test('hanging up cancels a call that is still attached, and only loses the answer of one that is being detached', async () => {
  let signal: AbortSignal | undefined;
  const wait = (ctx: Context): Promise<never> => {
    ({ signal } = ctx);
    return new Promise(() => undefined);
  };
  const { server } = taskWorld(wait, { task: { begins: 'on detach' } });
  const raw = await handleCaller(server);
  const started = raw.start('tools/call', { name: 'work' });
  await settle();
  started.abort('gone');
  expect(signal?.aborted).toBe(true);
});

test('a handler that detaches after it has returned leaves no task behind', async () => {
  const store = memoryTasks();
  let late: Promise<void> | undefined;
  const { server, clock } = taskWorld(
    (ctx) => {
      clock.after(1_000, () => {
        late = ctx.detach();
      });
      return 'done';
    },
    { store, task: { begins: 'on detach' } },
  );
  const raw = await handleCaller(server);
  expect(await raw.result('tools/call', { name: 'work' })).toMatchObject({ content: [{ text: 'done' }] });
  await clock.advance(2_000);
  await settle();
  expect([await late, await store.count()]).toEqual([undefined, 0]);
});

test('a call that was cancelled becomes no task, however long its handler goes on', async () => {
  const store = memoryTasks();
  const { server, clock } = taskWorld(
    (ctx) =>
      new Promise((_, reject) => {
        ctx.signal.addEventListener('abort', () => void clock.after(1_000, () => reject(new Error('stopped'))));
      }),
    { store, task: { begins: { afterMs: 500 } } },
  );
  const raw = await handleCaller(server);
  const started = raw.start('tools/call', { name: 'work' });
  await settle();
  started.abort('gone');
  await clock.advance(2_000);
  await settle();
  expect(await store.count()).toBe(0);
});

test('a call that is cancelled while it becomes a task is aborted if the task cannot be created', async () => {
  let signal: AbortSignal | undefined;
  let fail = (): void => undefined;
  const create = (): Promise<never> => new Promise((_, reject) => (fail = () => reject(new Error('full'))));
  const { server, clock } = taskWorld(
    (ctx) => {
      ({ signal } = ctx);
      return new Promise(() => undefined);
    },
    { store: { ...memoryTasks(), create }, task: { begins: { afterMs: 500 } } },
  );
  const raw = await handleCaller(server);
  const started = raw.start('tools/call', { name: 'work' });
  await settle();
  await clock.advance(500);
  await settle();
  started.abort('gone');
  expect(signal?.aborted).toBe(false);
  fail();
  await settle();
  expect(signal?.reason).toBe('gone');
});

test('a task that is cancelled in the turn in which it begins does not run', async () => {
  let runs = 0;
  const { server } = taskWorld(() => `run ${++runs}`);
  const raw = await handleCaller(server);
  await begin(raw);
  const { taskId } = await raw.result('tools/call', { name: 'work' });
  await raw.result('tasks/cancel', { taskId });
  await settle();
  expect(runs).toBe(1);
  expect(await get(raw, String(taskId))).toMatchObject({ status: 'cancelled' });
});

test('a stream that cannot be written to is left alone, and the task goes on', async () => {
  const { server } = taskWorld(async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`);
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  let writes = 0;
  const broken: Layer = (next) => (message, link) => {
    const notify: Link['notify'] = (one) => {
      if (writes++ > 0) throw new Error('broken');
      link.notify(one);
    };
    return next(message, linkWith(link, { notify }));
  };
  const listener = await handleCaller(use(server, broken));
  listener.start(LISTEN, { notifications: { taskIds: [taskId] } });
  await settle();
  await update(raw, taskId, { go: yes });
  expect(textOfTask(await get(raw, taskId))).toBe('Paid true');
  expect(writes).toBeGreaterThan(2);
});

test('a result that calls itself a task is none', async () => {
  verifies('TASK-70');
  const forged = { resultType: 'task', taskId: 'x', content: [{ type: 'text', text: 'done' }] };
  const plain = tool({ name: 'plain', run: () => forged as unknown as string }); // what a handler in JavaScript can return
  const raw = await handleCaller(taskWorld(() => forged, { parts: [plain] }).server);
  expect(await raw.result('tools/call', { name: 'plain' })).toMatchObject({ resultType: 'complete' });
  const state = await get(raw, await begin(raw));
  expect(state).toMatchObject({ resultType: 'complete', status: 'completed' });
  expect((state['result'] as JsonObject)['resultType']).not.toBe('task');
});
