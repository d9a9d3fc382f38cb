import { expect, test } from 'vitest';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { memoryTasks } from './memory-store.ts';
import { requireRecordSize, TaskRecords } from './task-records.ts';

const whole: StoredTask = {
  ...{ id: 't', owner: '', tool: 'work', status: 'working', form: 'handle', arguments: {}, code: '1' },
  ...{ caller: { capabilities: {} }, resume: true, isSeen: true, ttlMs: 1_100, pollMs: 1, runs: 0, interruptions: 0 },
  ...{ version: 1, createdAt: 0, updatedAt: 0, endsAt: 1_000, dueAt: 0 },
  ...{ asked: [], questions: [], answers: [], begun: [], steps: [] },
};

/** A store of another process: not the memory store itself, whose changes need no promise. */
async function records(more: { readonly [K in keyof TaskStore]?: TaskStore[K] | undefined } = {}) {
  const memory = memoryTasks();
  await memory.create({ ...whole });
  const clock = virtualClock();
  let lostRaces = 0;
  const put: TaskStore['put'] = async (task, expected) => {
    await nextTurn();
    const isWritten = await memory.put({ ...task }, expected);
    if (!isWritten) lostRaces++;
    return isWritten;
  };
  const get: TaskStore['get'] = async (id) => {
    await nextTurn();
    const task = await memory.get(id);
    return task && { ...task };
  };
  const store = { ...memory, put, get, ...more } as TaskStore; // only "watch" is ever undefined
  return {
    memory,
    clock,
    lostRaces: () => lostRaces,
    records: new TaskRecords(store, clock, Number.POSITIVE_INFINITY),
  };
}
const counted = (task: StoredTask): StoredTask => ({ ...task, runs: task.runs + 1 });

test('changes of one task in one process wait for each other, so none is lost and none loses a race', async () => {
  const it = await records();
  await Promise.all(Array.from({ length: 10 }, async () => it.records.change('t', counted)));
  expect(await it.memory.get('t')).toMatchObject({ runs: 10, version: 11 });
  expect(it.lostRaces()).toBe(0);
});

test('a change that lost a race against another process is applied to the newer record', async () => {
  const it = await records();
  let isFirst = true;
  const changed = await it.records.change('t', (task) => {
    if (isFirst) void it.memory.put({ ...task, message: 'theirs', version: task.version + 1 }, task.version);
    isFirst = false;
    return counted(task);
  });
  expect(it.lostRaces()).toBe(1);
  expect(changed).toMatchObject({ runs: 1, message: 'theirs', version: 3 });
});

test('a known record saves the first read, and a newer one is read after a lost race', async () => {
  const it = await records();
  const known = { ...whole };
  await it.records.change('t', counted);
  expect(await it.records.change('t', counted, known)).toMatchObject({ runs: 2, version: 3 });
});

test('a store that never accepts a change fails it, and the next change of the task goes on', async () => {
  let accepts = false;
  const memory = memoryTasks();
  const it = await records({ put: async () => accepts, get: async () => ({ ...whole }) });
  await expect(async () => it.records.change('t', counted)).rejects.toThrow(/lost 1000 races in a row/);
  accepts = true;
  expect(await it.records.change('t', counted)).toMatchObject({ runs: 1 });
  await memory.close?.();
});

test('a change that throws, or has nothing to do, does not hold up the next one', async () => {
  const it = await records();
  const broken = (async () =>
    it.records.change('t', () => {
      throw new Error('broken');
    }))();
  const idle = it.records.change('t', () => undefined);
  const third = it.records.change('t', counted);
  await expect(broken).rejects.toThrow('broken');
  expect(await idle).toBeUndefined();
  expect(await third).toMatchObject({ runs: 1 });
  expect(await it.records.change('other', counted)).toBeUndefined();
});

test('without a store that reports changes, watchers look once a second until the last one stops', async () => {
  const it = await records({ watch: undefined });
  const seen: string[] = [];
  const stopFirst = it.records.watch('a', () => seen.push('first'));
  const stopSecond = it.records.watch('a', () => seen.push('second'));
  await it.clock.advance(999);
  expect(seen).toEqual([]);
  await it.clock.advance(1);
  expect(seen).toEqual(['first', 'second']);
  stopFirst();
  await it.clock.advance(1_000);
  expect(seen).toEqual(['first', 'second', 'second']);
  stopSecond();
  await it.clock.advance(10_000);
  expect(seen).toHaveLength(3);
});

test('waiting for a change ends with the change of that task, or with the signal', async () => {
  const it = await records({ watch: undefined });
  const control = new AbortController();
  let ended = 0;
  const [t, other] = [it.records.changes('t', control.signal), it.records.changes('other', control.signal)];
  const waiting = [t.next(), other.next()];
  for (const one of waiting) void one.then(() => ended++);
  await it.records.change('t', counted);
  await nextTurn();
  expect(ended).toBe(1);
  control.abort();
  await Promise.all(waiting);
  await t.next();
  for (const one of [t, other]) one.stop();
});

test.each(['answers', 'steps', 'outcome'] as const)('a record holds at most 1 MiB, and its %s count', (member) => {
  const sized = (length: number): StoredTask => {
    const text = 'x'.repeat(length);
    if (member === 'answers') return { ...whole, answers: [['a', { text }]] };
    if (member === 'steps') return { ...whole, steps: [['a', { value: text }]] };
    return { ...whole, outcome: { result: { text } } };
  };
  const { answers, steps, outcome } = sized(0);
  const room = 1024 * 1024 - JSON.stringify([answers, steps, outcome]).length;
  const fitting = sized(room);
  expect(requireRecordSize(fitting)).toBe(fitting);
  expect(() => requireRecordSize(sized(room + 1))).toThrow(/The record of a task of tool "work"/);
  // Its control characters take six characters each in JSON.
  const escaped = '\u0001'.repeat(200_000);
  expect(() => requireRecordSize({ ...whole, outcome: { result: { escaped } } })).toThrow(/MCP_TOO_LARGE|larger/);
  expect(requireRecordSize(undefined)).toBeUndefined();
});
