/** Recovery of tasks whose process crashes or closes, and the end of tasks that exceed their time. */
import { expect, test } from 'vitest';
import {
  begin,
  callerNamed,
  get,
  handleCaller,
  mortalStore,
  settle,
  taskWorld,
  textOfTask,
  update,
  yes,
} from '../../../test/support/tasks.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { Context } from '../context.ts';
import type { Part } from '../part.ts';
// Loaded here, because loading takes real time.
import '../protocol-result.ts';
import { tool } from '../tool.ts';
import { memoryTasks } from './memory-store.ts';

const HOUR = 3_600_000;

/** Runs `before` until it is idle, kills its process, and continues in another process with the same records. */
async function crashed(
  run: Parameters<typeof taskWorld>[0],
  options: Parameters<typeof taskWorld>[1] & { readonly seen?: boolean } = {},
): Promise<{
  taskId: string;
  state(): Promise<JsonObject>;
  recover(): Promise<void>;
  world: ReturnType<typeof taskWorld>;
}> {
  const { seen = true, ...rest } = options;
  const shared = memoryTasks();
  const mortal = mortalStore(shared);
  const first = taskWorld(run, { ...rest, store: mortal });
  const caller = await handleCaller(first.server);
  const taskId = await begin(caller);
  if (seen) await get(caller, taskId);
  mortal.die();
  const world = taskWorld(run, { ...rest, store: shared, clock: first.clock });
  const raw = await handleCaller(world.server);
  await settle();
  const recover = async (): Promise<void> => {
    await first.clock.advance(32_000);
    await settle();
  };
  return { taskId, state: () => get(raw, taskId), recover, world };
}

test('a run that was cut short is run again where that is harmless, with the same idempotency keys and a larger fence', async () => {
  const steps: string[] = [];
  const run: Parameters<typeof taskWorld>[0] = async (ctx) => {
    const first = await ctx.once('first', ({ fence }) => `first ${fence}`);
    const second = await ctx.once('second', ({ idempotencyKey, fence }) => {
      steps.push(`${fence} ${idempotencyKey}`);
      return fence === 1 ? new Promise<string>(() => undefined) : 'second';
    });
    return `${first} ${second}`;
  };
  const { state, recover } = await crashed(run);
  expect(await state()).toMatchObject({ status: 'working' });
  await recover();
  expect(textOfTask(await state())).toBe('first 1 second');
  expect(steps.map((one) => one.split(' ')[0])).toEqual(['1', '2']);
  expect(new Set(steps.map((one) => one.split(' ')[1])).size).toBe(1);
});

test('a tool that writes is not run again, unless its author says so', async () => {
  const hang = (): Promise<never> => new Promise(() => undefined);
  const cut = await crashed(hang, { effects: 'write' });
  await cut.recover();
  expect(await cut.state()).toMatchObject({
    status: 'failed',
    error: { code: -32603, message: 'Interrupted by a restart' },
  });
  let runs = 0;
  const again = await crashed(() => (++runs === 1 ? hang() : 'done'), { effects: 'write', task: { resume: true } });
  await again.recover();
  expect(textOfTask(await again.state())).toBe('done');
});

test('a step with again: false is not run a second time, and the handler hears that it is not known whether it took effect', async () => {
  let runs = 0;
  const { state, recover } = await crashed(async (ctx) =>
    ctx.once('charge', () => (++runs === 1 ? new Promise<string>(() => undefined) : 'twice'), { again: false }),
  );
  await recover();
  expect(textOfTask(await state())).toBe('The step "charge" was interrupted, and whether it took effect is not known');
  expect(runs).toBe(1);
});

test('a task that waits for an answer was not cut short: any process goes on with it', async () => {
  const { taskId, state, world } = await crashed(async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`, {
    effects: 'write',
  });
  const raw = await handleCaller(world.server);
  await update(raw, taskId, { go: yes });
  expect(textOfTask(await state())).toBe('Paid true');
});

test('an answer that reaches a process without the tool leaves the task to a process that has it', async () => {
  const store = memoryTasks();
  const run: Parameters<typeof taskWorld>[0] = async (ctx) => `Paid ${await ctx.confirm('go', 'Pay?')}`;
  const first = taskWorld(run, { store });
  const taskId = await begin(await handleCaller(first.server));
  const other = taskWorld(run, { store, clock: first.clock });
  other.server.remove('work');
  const raw = await handleCaller(other.server);
  await update(raw, taskId, { go: yes });
  expect(await get(raw, taskId)).toMatchObject({ status: 'working' });
  await first.clock.advance(1_000);
  await settle();
  expect(textOfTask(await get(raw, taskId))).toBe('Paid true');
});

test('a task whose caller never came back is not run again before it does', async () => {
  let runs = 0;
  const run = (): unknown => (++runs === 1 ? new Promise(() => undefined) : 'done');
  const { state, recover } = await crashed(run, { seen: false });
  await recover();
  await recover();
  expect(runs).toBe(1);
  await state();
  await settle();
  expect(textOfTask(await state())).toBe('done');
});

test('a task that is interrupted again and again without progress fails', async () => {
  const shared = memoryTasks();
  const first = mortalStore(shared);
  const { server, clock } = taskWorld(() => new Promise(() => undefined), { store: first });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  await get(raw, taskId);
  first.die();
  for (let crash = 0; crash < 6; crash++) {
    const store = mortalStore(shared);
    const next = taskWorld(() => new Promise(() => undefined), { store, clock });
    await handleCaller(next.server);
    await clock.advance(61_000);
    store.die();
  }
  const last = await handleCaller(taskWorld(() => 'x', { store: shared, clock }).server);
  await clock.advance(61_000);
  expect(textOfTask(await get(last, taskId))).toContain('times without progress');
});

test('a task that ends its process again and again does not take the others with it', async () => {
  const shared = memoryTasks();
  const parts = (store: { die(): void }): Part[] => [
    tool({ name: 'crash', description: 'Ends its process', effects: 'read', task: true, run: () => dieOf(store) }),
  ];
  const dieOf = (store: { die(): void }): Promise<string> => {
    store.die();
    return new Promise(() => undefined);
  };
  const store = mortalStore(shared);
  // Each takes a while, so it is running when the other one ends the process.
  const work = (): Promise<string> => new Promise((resolve) => void clock.after(2_000, () => resolve('done')));
  const clock = virtualClock();
  const first = await handleCaller(taskWorld(work, { store, clock, parts: parts(store) }).server);
  const ids = [await begin(first), await begin(first), await begin(first)];
  for (const id of ids) await get(first, id);
  const crashing = await begin(first, { name: 'crash' });
  await shared.put({ ...(await kept(shared, crashing)), isSeen: true, version: 2 }, 1);
  for (let crash = 0; crash < 12; crash++) {
    const next = mortalStore(shared);
    await handleCaller(taskWorld(work, { store: next, clock, parts: parts(next) }).server);
    for (let second = 0; second < 45; second++) {
      await clock.advance(1_000);
      await settle(5);
    }
    next.die();
  }
  const last = await handleCaller(taskWorld(work, { store: shared, clock }).server);
  const texts = await Promise.all(ids.map(async (id) => textOfTask(await get(last, id))));
  expect(texts).toEqual(['done', 'done', 'done']);
  expect(textOfTask(await get(last, crashing))).toContain('times without progress');
});

async function kept(store: TaskStore, id: string): Promise<StoredTask> {
  const task = await store.get(id);
  if (task === undefined) throw new Error('It was made');
  return task;
}

test('a server that closes hands its tasks over: the next process continues without waiting for the lease', async () => {
  const store = memoryTasks();
  let runs = 0;
  const run = (): unknown => (++runs === 1 ? new Promise(() => undefined) : 'done');
  const first = taskWorld(run, { store });
  const raw = await handleCaller(first.server);
  const taskId = await begin(raw);
  first.server.close();
  await settle();
  const next = await handleCaller(taskWorld(run, { store, clock: first.clock }).server);
  await first.clock.advance(1_000);
  await settle();
  expect(textOfTask(await get(next, taskId))).toBe('done');
});

test('a server that closes aborts its runs, and begins none', async () => {
  const signals: AbortSignal[] = [];
  const run = ({ signal }: Context): Promise<string> => {
    signals.push(signal);
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const { server, clock } = taskWorld(run, { maxRunning: 1 });
  const raw = await handleCaller(server);
  await begin(raw);
  await begin(raw);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  server.close();
  await settle();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  await clock.advance(60_000);
  await settle();
  expect(signals).toHaveLength(1);
});

test('a run whose task another process has taken is stopped when its lease would be renewed', async () => {
  const signals: AbortSignal[] = [];
  const kept = memoryTasks();
  let isTaken = false;
  const store: TaskStore = { ...kept, renew: async (...args) => !isTaken && (await kept.renew(...args)) };
  const { server, clock } = taskWorld(
    ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
    { store },
  );
  await begin(await handleCaller(server));
  await clock.advance(60_000);
  await settle();
  expect(signals[0]?.aborted).toBe(false);
  isTaken = true;
  await clock.advance(11_000);
  await settle();
  expect(signals[0]?.aborted).toBe(true);
});

test('while the store fails, a run goes on until its renewed lease ends, and no longer', async () => {
  const signals: AbortSignal[] = [];
  const kept = memoryTasks();
  let isDown = false;
  const store: TaskStore = {
    ...kept,
    renew: async (...args) => {
      if (isDown) throw new Error('The store is down');
      return kept.renew(...args);
    },
  };
  const { server, clock } = taskWorld(
    ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
    { store },
  );
  await begin(await handleCaller(server));
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await clock.advance(1_000);
      await settle(5);
    }
  };
  await pass(60_000);
  isDown = true;
  await pass(15_000);
  expect(signals[0]?.aborted).toBe(false);
  await pass(30_000);
  expect(signals[0]?.aborted).toBe(true);
});

test('a process without the tool leaves a due task alone for the length of a lease', async () => {
  const store = memoryTasks();
  const mortal = mortalStore(store);
  const first = taskWorld(() => new Promise(() => undefined), { store: mortal });
  const raw = await handleCaller(first.server);
  const taskId = await begin(raw);
  await get(raw, taskId);
  mortal.die();
  const other = taskWorld(() => 'x', { store, clock: first.clock });
  other.server.remove('work');
  await handleCaller(other.server);
  for (let second = 0; second < 32; second++) {
    await first.clock.advance(1_000);
    await settle(5);
  }
  expect((await kept(store, taskId)).dueAt).toBeGreaterThan(first.clock.wall() + 20_000);
});

test('work runs the tasks of others until its signal aborts', async () => {
  const store = memoryTasks();
  let runs = 0;
  const run = (): unknown => (++runs === 1 ? new Promise(() => undefined) : 'done');
  const mortal = mortalStore(store);
  const first = taskWorld(run, { store: mortal });
  const raw = await handleCaller(first.server);
  const taskId = await begin(raw);
  await get(raw, taskId);
  mortal.die();
  const worker = taskWorld(run, { store, clock: first.clock });
  const controller = new AbortController();
  const working = worker.server.tasks?.work({ signal: controller.signal });
  await settle();
  await first.clock.advance(32_000);
  await settle();
  expect((await store.get(taskId))?.status).toBe('completed');
  controller.abort();
  await working;
});

test('a task ends when its time is up, whether or not its handler listens; an open question is named', async () => {
  const slow = taskWorld(() => new Promise(() => undefined));
  const raw = await handleCaller(slow.server);
  const taskId = await begin(raw);
  await slow.clock.advance(HOUR);
  await settle();
  expect(await get(raw, taskId)).toMatchObject({ status: 'failed', error: { message: 'The task took too long' } });
  const asking = taskWorld((ctx) => ctx.confirm('price', 'Pay?').then(String));
  const asker = await handleCaller(asking.server);
  const asked = await begin(asker);
  await asking.clock.advance(24 * HOUR + 2_000);
  await settle();
  expect(await get(asker, asked)).toMatchObject({
    status: 'failed',
    error: { message: 'Not answered in time: "price"' },
  });
});

test('a task does not outlive what its caller was allowed to, unless the server says so; a newer token counts', async () => {
  const soon = (clock: { wall(): number }): number => clock.wall() + 60_000;
  for (const outliveAuth of [false, true]) {
    const { server, clock } = taskWorld(() => new Promise(() => undefined), { outliveAuth });
    const raw = await handleCaller(server, { auth: callerNamed('ada', [], soon(clock)) });
    const taskId = await begin(raw);
    await clock.advance(61_000);
    await settle();
    expect(await get(raw, taskId)).toMatchObject({ status: outliveAuth ? 'working' : 'failed' });
  }
  const { server, clock } = taskWorld(
    async (ctx) => `${await ctx.confirm('go', 'Go?')} ${String(ctx.auth?.expiresAt)}`,
  );
  const first = await handleCaller(server, { auth: callerNamed('ada', [], soon(clock)) });
  const taskId = await begin(first);
  await clock.advance(3_600_000);
  const expiresAt = soon(clock);
  const later = await handleCaller(server, { auth: callerNamed('ada', [], expiresAt) });
  await update(later, taskId, { go: yes });
  expect(textOfTask(await get(later, taskId))).toBe(`true ${expiresAt}`);
});

test('a caller that comes back with a newer authorization extends a run, too', async () => {
  const { server, clock } = taskWorld(() => new Promise(() => undefined));
  const callerUntil = (ms: number): ReturnType<typeof handleCaller> =>
    handleCaller(server, { auth: callerNamed('ada', [], clock.wall() + ms) });
  const taskId = await begin(await callerUntil(60_000));
  await clock.advance(30_000);
  const later = await callerUntil(600_000);
  await get(later, taskId);
  await clock.advance(60_000);
  await settle();
  expect(await get(later, taskId)).toMatchObject({ status: 'working' });
  await clock.advance(600_000);
  await settle();
  expect(textOfTask(await get(later, taskId))).toBe('The authorization of the caller has expired');
});

test.each(['get', 'put'] as const)(
  'a task ends after its time also if its store fails at that moment (%s)',
  async (method) => {
    const memory = memoryTasks();
    let isDown = false;
    const down = (): Promise<never> => Promise.reject(new Error('down'));
    const store = { ...memory, [method]: (...given: [never, never]) => (isDown ? down() : memory[method](...given)) };
    let signal: AbortSignal | undefined;
    const { server, clock } = taskWorld(
      (ctx) => {
        ({ signal } = ctx);
        return new Promise(() => undefined);
      },
      { store, task: { runMs: 60_000 } },
    );
    const raw = await handleCaller(server);
    const taskId = await begin(raw);
    await get(raw, taskId);
    await clock.advance(59_000);
    isDown = true;
    await clock.advance(3_000);
    isDown = false;
    await clock.advance(2_000);
    await settle();
    expect(textOfTask(await get(raw, taskId))).toBe('The task took too long');
    expect(signal?.aborted).toBe(true);
  },
);

test('a result is not lost if the store fails when the task ends, and a caller never sees the error of the store', async () => {
  const store = { ...memoryTasks() };
  const { put } = store;
  let faults = 3;
  store.put = (task, expected) =>
    task.outcome !== undefined && faults-- > 0 ? Promise.reject(new Error('10.0.0.5 is down')) : put(task, expected);
  const { server, clock, errors } = taskWorld(() => 'done', { store });
  const raw = await handleCaller(server);
  const kept = await begin(raw);
  await clock.advance(2_999);
  expect(await get(raw, kept)).toMatchObject({ status: 'working' });
  await clock.advance(1);
  await settle();
  expect(textOfTask(await get(raw, kept))).toBe('done');
  expect(errors).toEqual([]);
  faults = 10;
  const lost = await begin(raw);
  await clock.advance(9_000);
  await settle();
  expect(textOfTask(await get(raw, lost))).toMatch(/^Internal error \(\w+\)$/);
  expect(errors.map(String)).toEqual(['Error: 10.0.0.5 is down']);
});

test('an outcome that JSON cannot express fails the task at once with the reason', async () => {
  const content = [{ type: 'text', text: 'x', _meta: { 'example.com/n': 1n } }];
  for (const store of [memoryTasks(), { ...memoryTasks() }]) {
    const { server } = taskWorld(() => ({ content }), { store });
    const raw = await handleCaller(server);
    expect(textOfTask(await get(raw, await begin(raw)))).toContain('BigInt');
  }
});

test('a server whose store fails can be closed: what it cannot hand over is reported', async () => {
  const store = { ...memoryTasks() };
  const { server, errors } = taskWorld(() => new Promise(() => undefined), { store });
  await begin(await handleCaller(server));
  store.get = () => Promise.reject(new Error('down'));
  server.close();
  await settle();
  expect(errors.map(String)).toEqual(['Error: down']);
});

test('the leases of running tasks are renewed while a slow store deletes a long backlog', async () => {
  const memory = memoryTasks();
  const clock = virtualClock();
  const slow = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  const store: TaskStore = {
    ...memory,
    async delete(id) {
      await slow(100);
      await memory.delete(id);
    },
  };
  const { server } = taskWorld((ctx) => new Promise(() => ctx.progress(1)), { store, clock });
  const raw = await handleCaller(server);
  const taskId = await begin(raw);
  const [task] = await memory.due(Number.POSITIVE_INFINITY, 1);
  const ended = { ...task, outcome: { cancelled: true }, lease: undefined, dueAt: clock.wall() } as StoredTask; // it was stored above
  for (let copy = 0; copy < 1_000; copy++) await memory.create({ ...ended, id: `copy ${copy}` });
  await clock.advance(60_000);
  await settle();
  expect((await memory.get(taskId))?.lease?.until).toBeGreaterThan(clock.wall());
});

test('all expired outcomes are deleted by the next poll, however many there are', async () => {
  const store = memoryTasks();
  const { server, clock } = taskWorld(() => 'done', { store });
  const raw = await handleCaller(server);
  await begin(raw);
  const [first] = await store.due(Number.POSITIVE_INFINITY, 1);
  if (first === undefined) throw new Error('there is no record');
  for (let copy = 0; copy < 1_200; copy++) await store.create({ ...first, id: `copy ${copy}`, dueAt: clock.wall() });
  await clock.advance(1_000);
  await settle(3_000);
  expect(await store.due(clock.wall(), 10)).toEqual([]);
});

test('a task that ends between the search for due tasks and the reading of its record keeps its outcome', async () => {
  const kept = memoryTasks();
  // Like a store that finds ids before it reads the records, in a process that stalls in between.
  const store: TaskStore = { ...kept, due: async (_now, limit) => kept.due(Number.MAX_SAFE_INTEGER, limit) };
  const { server, clock } = taskWorld(() => 'done', { store });
  const raw = await handleCaller(server);
  const id = await begin(raw);
  await settle();
  await clock.advance(5_000);
  await settle();
  expect(textOfTask(await get(raw, id))).toBe('done');
});
