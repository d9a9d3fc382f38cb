/** The memory store: limits of finished tasks, eviction, and the order of due tasks. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { MAX_FINISHED, MAX_FINISHED_BYTES } from './finished-tasks.ts';
import { memoryTasks } from './memory-store.ts';

const working: StoredTask = {
  ...{ id: 'task', version: 1, owner: 'ada', form: 'handle', tool: 'tool', arguments: {}, code: '1' },
  ...{ caller: { capabilities: {} }, resume: true, isSeen: false, status: 'working', runs: 0, interruptions: 0 },
  ...{ createdAt: 1, updatedAt: 1, ttlMs: null, pollMs: 1_000, endsAt: 1_000, dueAt: 100 },
  ...{ asked: [], questions: [], answers: [], begun: [], steps: [] },
};
const sample = (changes: Partial<StoredTask>): StoredTask => ({ ...working, ...changes });

const ended = (text = ''): Partial<StoredTask> => ({
  status: 'completed',
  outcome: { result: { content: [{ type: 'text', text }] } },
});

async function finish(store: TaskStore, owner: string, ids: readonly string[], text?: string): Promise<void> {
  for (const id of ids) await store.create(sample({ id, owner, ...ended(text) }));
}

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

async function kept(store: TaskStore, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => store.get(id)));
  return found.flatMap((task) => (task === undefined ? [] : [task.id]));
}

describe('a memory store that is full of finished tasks', () => {
  test('evicts the oldest task of the caller that has the most', async () => {
    const store = memoryTasks();
    const [ada, bob] = [names('a', MAX_FINISHED), names('b', 3)];
    await finish(store, 'bob', bob);
    await finish(store, 'ada', ada);
    expect(await kept(store, bob)).toEqual(bob);
    expect(await kept(store, ada)).toEqual(ada.slice(3));
    expect(await store.list('ada', undefined, 2)).toMatchObject([{ id: 'a10' }, { id: 'a100' }]);
  });

  test('evicts by the size of the outcomes, too', async () => {
    const store = memoryTasks();
    const text = 'é日'.repeat(2 ** 18);
    const most = Math.ceil(MAX_FINISHED_BYTES / (2 * text.length));
    const [ada, bob] = [names('a', most + 5), names('b', 1_000)];
    await finish(store, 'bob', bob);
    await finish(store, 'ada', ada, text);
    // Bob has more tasks, and Ada larger ones.
    expect(await kept(store, bob)).toEqual(bob);
    const left = await kept(store, ada);
    expect(left.length).toBeLessThan(most);
    expect(left).toEqual(ada.slice(-left.length));
    expect(left.length).toBeGreaterThan(most - 5);
  });

  test('keeps every task that has not ended', async () => {
    const store = memoryTasks();
    const open = names('open', MAX_FINISHED);
    for (const id of open) await store.create(sample({ id }));
    await finish(store, 'ada', names('a', MAX_FINISHED - 5));
    // The oldest task ends last, so the task that ended first is evicted for it.
    for (const id of open.slice(0, 10)) await store.put(sample({ id, version: 2, ...ended() }), 1);
    expect(await kept(store, open)).toEqual(open);
    expect(await kept(store, names('a', 6))).toEqual(['a5']);
    expect([await store.count(), await store.count('ada')]).toEqual([open.length - 10, open.length - 10]);
  });

  test('has room again after tasks were deleted', async () => {
    const store = memoryTasks();
    const ids = names('a', MAX_FINISHED);
    await finish(store, 'ada', ids);
    for (const id of ids.slice(100)) await store.delete(id);
    await finish(store, 'bob', names('b', MAX_FINISHED - 100));
    expect(await kept(store, ids)).toEqual(ids.slice(0, 100));
  });
});

describe('a memory store whose unfinished tasks are large', () => {
  const maxBytes = 8 * 1024 * 1024;
  const limits = { maxTasks: 100, maxBytes };
  // Two bytes per character.
  const half = { text: 'x'.repeat(maxBytes / 4 - 500) };

  test('rejects arguments beyond the limit, until a task has ended or is deleted', async () => {
    const store = memoryTasks();
    const create = (id: string): Promise<unknown> => store.create(sample({ id, arguments: half }), limits);
    expect([await create('a'), await create('b'), await create('c')]).toEqual([true, true, 'maxBytes']);
    expect([await store.count(), await store.get('c')]).toEqual([2, undefined]);
    expect(await store.create(sample({ id: 'small' }), limits)).toBe(true);
    await store.put(sample({ id: 'a', version: 2, ...ended() }), 1, maxBytes);
    expect([await create('c'), await create('d')]).toEqual([true, 'maxBytes']);
    await store.delete('b');
    expect(await create('d')).toBe(true);
  });

  test('rejects answers beyond the limit, and keeps the record as it was', async () => {
    const store = memoryTasks();
    await store.create(sample({ id: 'a', arguments: half }), limits);
    const caller = { capabilities: { experimental: { half } } };
    expect(await store.create(sample({ id: 'b', caller }), limits)).toBe(true);
    await store.create(sample({ id: 'c' }), limits);
    const answers: StoredTask['answers'] = [['sure', { action: 'accept', content: half }]];
    expect(await store.put(sample({ id: 'c', version: 2, answers }), 1, maxBytes)).toBe('maxBytes');
    expect(await store.get('c')).toMatchObject({ version: 1, answers: [] });
    expect(await store.put(sample({ id: 'c', version: 2, pollMs: 5 }), 1, maxBytes)).toBe(true);
    // Writes that take no more memory are accepted.
    expect(await store.put(sample({ id: 'a', version: 2, arguments: half, pollMs: 5 }), 1, maxBytes)).toBe(true);
    expect(await store.get('a')).toMatchObject({ version: 2 });
  });

  test('counts objects that a caller in this process shares as nothing', async () => {
    const store = memoryTasks();
    class Shared {}
    const caller = { capabilities: { experimental: { shared: new Shared() as object } } };
    await store.create(sample({ id: 'a', caller: caller as StoredTask['caller'] }), limits);
    await store.put(sample({ id: 'a', version: 2, ...ended() }), 1, maxBytes);
    expect(await store.create(sample({ id: 'b', arguments: half }), limits)).toBe(true);
  });
});

test('due tasks come in the order of their time, whatever was written and deleted before', async () => {
  const step = fc.record({
    id: fc.integer({ min: 0, max: 12 }).map(String),
    dueAt: fc.integer({ min: 0, max: 20 }).map((n) => n * 25),
    isDeleted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(550), fc.nat(14), async (steps, now, limit) => {
      const store = memoryTasks();
      const model = new Map<string, number>();
      for (const { id, dueAt, isDeleted } of steps) {
        const there = await store.get(id);
        if (isDeleted) await store.delete(id);
        else if (there === undefined) await store.create(sample({ id, dueAt }));
        else await store.put({ ...there, dueAt, version: there.version + 1 }, there.version);
        if (isDeleted) model.delete(id);
        else model.set(id, dueAt);
      }
      const due = [...model].filter(([, at]) => at <= now).sort(([a, at], [b, bt]) => at - bt || (a < b ? -1 : 1));
      const found = await store.due(now, limit);
      expect(found.map(({ id }) => id)).toEqual(due.slice(0, limit).map(([id]) => id));
    }),
  );
});
