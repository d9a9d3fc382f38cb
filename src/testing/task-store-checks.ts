/** `taskStoreChecks`: the contract of `TaskStore` as a list of checks for any test runner. */
import type { StoredTask, TaskStore } from '../model/task-record.ts';
import { expectEqual, inTime } from './check-support.ts';
import { limitChecks } from './task-limit-checks.ts';
import { type CheckBody, createSampleTask, sampleTask } from './task-store-samples.ts';

/** One check. `run` rejects with the expected and the actual value. */
export interface TaskStoreCheck {
  readonly name: string;
  run(): Promise<void>;
}

/** Opens a handle on the tasks of a name. Handles of the same name share their tasks. A new name has no tasks. */
export type OpenTaskStore = (name: string) => TaskStore | Promise<TaskStore>;

/** Checks the contract of `TaskStore`: `for (const { name, run } of taskStoreChecks(open)) test(name, run)`. */
export function taskStoreChecks(open: OpenTaskStore): readonly TaskStoreCheck[] {
  const checks = { ...writeChecks, ...limitChecks, ...renewChecks, ...queryChecks, ...storageChecks };
  return Object.entries(checks).map(([name, body]) => ({
    name,
    async run() {
      const place = crypto.randomUUID();
      const [store, other] = [await open(place), await open(place)];
      try {
        await body(store, other);
      } finally {
        await store.close?.();
        await other.close?.();
      }
    },
  }));
}

const writeChecks: Record<string, CheckBody> = {
  async 'create: another handle finds the task as soon as it resolves'(store, other) {
    const task = sampleTask({ id: 'new' });
    expectEqual('get before create', await other.get('new'), undefined);
    expectEqual('create', await store.create(task), true);
    expectEqual('get after create', await other.get('new'), task);
  },
  async 'create: false for an id that is there, and the first task stays'(store) {
    const first = await createSampleTask(store);
    expectEqual('create again', await store.create({ ...first, message: 'second' }), false);
    expectEqual('get', await store.get(first.id), first);
  },
  async 'create: of many handles that create one id at the same time, one succeeds'(store, other) {
    const tries = Array.from({ length: 10 }, (_, i) => (i % 2 ? store : other).create(sampleTask({ message: `${i}` })));
    const won = (await Promise.all(tries)).flatMap((isFirst, i) => (isFirst ? [`${i}`] : []));
    expectEqual('message of the only one that was created', won, [(await store.get('task'))?.message]);
  },
  async 'get: undefined for an unknown id'(store) {
    expectEqual('get', await store.get('unknown'), undefined);
  },
  async 'put: writes the whole task where the version is the expected one'(store, other) {
    const first = await createSampleTask(store, { message: 'first', progress: { done: 1 } });
    const { message: _, ...rest } = first;
    const next: StoredTask = { ...rest, version: 2, status: 'input_required', progress: { done: 2, total: 3 } };
    expectEqual('put', await store.put(next, 1), true);
    expectEqual('get', await other.get(first.id), next);
  },
  async 'put: false where the version is another one, and nothing changes'(store) {
    const first = await createSampleTask(store, { version: 2 });
    for (const expected of [1, 3])
      expectEqual('put', await store.put({ ...first, version: 4, message: 'new' }, expected), false);
    expectEqual('get', await store.get(first.id), first);
  },
  async 'put: false for a task that is not there, and none is made'(store) {
    expectEqual('put', await store.put(sampleTask({ version: 2 }), 1), false);
    expectEqual('get', await store.get('task'), undefined);
  },
  async 'put: of many handles that write one version at the same time, one succeeds'(store, other) {
    const { id } = await createSampleTask(store, { progress: { done: 0 } });
    await Promise.all(Array.from({ length: 10 }, (_, i) => countUp(i % 2 ? store : other, id)));
    const { version, progress } = await getTask(store, id);
    expectEqual('version and progress after ten increments', [version, progress?.done], [11, 10]);
  },
};

const renewChecks: Record<string, CheckBody> = {
  async 'renew: moves lease.until and dueAt, and nothing else'(store, other) {
    const task = await createSampleTask(store, leased);
    expectEqual('renew', await store.renew(task.id, { by: 'a', run: 3 }, 900), true);
    expectEqual('get', await other.get(task.id), { ...task, dueAt: 900, lease: { by: 'a', until: 900 } });
    expectEqual('put with the version from before', await other.put({ ...task, version: 2 }, 1), true);
  },
  async 'renew: false unless this run holds the unfinished task, and nothing changes'(store) {
    const task = await createSampleTask(store, leased);
    const ended = await createSampleTask(store, { ...leased, id: 'ended', outcome: { cancelled: true } });
    const idle = await createSampleTask(store, { id: 'idle', runs: 3 });
    expectEqual('renew by another process', await store.renew(task.id, { by: 'b', run: 3 }, 900), false);
    expectEqual('renew by another run', await store.renew(task.id, { by: 'a', run: 2 }, 900), false);
    for (const id of ['idle', 'ended', 'unknown'])
      expectEqual(`renew of ${id}`, await store.renew(id, { by: 'a', run: 3 }, 900), false);
    expectEqual('get', await Promise.all([task, ended, idle].map(({ id }) => store.get(id))), [task, ended, idle]);
  },
  async 'renew: due follows it'(store) {
    const { id } = await createSampleTask(store, leased);
    await store.renew(id, { by: 'a', run: 3 }, 900);
    expectEqual('due before', await idsOf(store.due(899, 10)), []);
    expectEqual('due then', await idsOf(store.due(900, 10)), [id]);
  },
  async 'renew: a later put says when the task is due'(store) {
    const task = await createSampleTask(store, leased);
    await store.renew(task.id, { by: 'a', run: 3 }, 900);
    const next = { ...task, version: 2, dueAt: 600, lease: { by: 'a', until: 700 } };
    await store.put(next, 1);
    expectEqual('get', await store.get(task.id), next);
  },
  async 'renew: a put at the same time is not lost'(store, other) {
    const task = await createSampleTask(store, leased);
    const next = { ...task, version: 2, message: 'new' };
    const wrote = Promise.all([store.renew(task.id, { by: 'a', run: 3 }, 900), other.put(next, 1)]);
    expectEqual('renew and put', await wrote, [true, true]);
    const { version, message } = await getTask(store, task.id);
    expectEqual('version and message', [version, message], [2, 'new']);
  },
};

const queryChecks: Record<string, CheckBody> = {
  async 'list: tasks of this owner alone'(store, other) {
    await createSampleTask(store, { id: 'mine', owner: 'p:["é}","*",""]' });
    await createSampleTask(store, { id: 'theirs', owner: 'p:' });
    expectEqual('list', await idsOf(other.list('p:["é}","*",""]', undefined, 10)), ['mine']);
  },
  async 'list: oldest first, whatever was written last'(store) {
    const tasks = [
      await createSampleTask(store, { id: 'c', createdAt: 30 }),
      await createSampleTask(store, { id: 'b', createdAt: 10 }),
    ];
    await createSampleTask(store, { id: 'a', createdAt: 20 });
    for (const task of tasks) await store.put({ ...task, version: 2, updatedAt: 1 }, 1);
    expectEqual('list', await idsOf(store.list('owner', undefined, 10)), ['b', 'a', 'c']);
  },
  async 'list: pages have every task once, also where many began at the same moment'(store) {
    const ids = ['a', 'B', '_', '-', 'é', '0', 'z'];
    for (const id of ids) await createSampleTask(store, { id });
    const seen: string[] = [];
    for (let after: string | undefined; seen.length <= ids.length; after = seen.at(-1)) {
      const page = await idsOf(store.list('owner', after, 2));
      if (page.length === 0) break;
      expectEqual('length of a page, at most', Math.max(page.length, 2), 2);
      seen.push(...page);
    }
    expectEqual('ids on all pages', seen.toSorted(), ids.toSorted());
  },
  async 'list: none after an id that is gone or of another owner'(store) {
    await createSampleTask(store);
    await createSampleTask(store, { id: 'theirs', owner: 'another', createdAt: 0 });
    for (const after of ['gone', 'theirs'])
      expectEqual(`list after ${after}`, await idsOf(store.list('owner', after, 10)), []);
  },
  async 'due: those with dueAt <= now'(store, other) {
    for (const dueAt of [99, 100, 101]) await createSampleTask(store, { id: `at ${dueAt}`, dueAt });
    expectEqual('due', (await idsOf(other.due(100, 10))).toSorted(), ['at 100', 'at 99']);
  },
  async 'due: the earliest first, and no more than the limit'(store) {
    for (const dueAt of [30, 10, 40, 20]) await createSampleTask(store, { id: `at ${dueAt}`, dueAt });
    expectEqual('due', await idsOf(store.due(100, 2)), ['at 10', 'at 20']);
  },
  async 'due: follows what was put'(store) {
    const task = await createSampleTask(store, { dueAt: 10 });
    await store.put({ ...task, version: 2, dueAt: 50 }, 1);
    expectEqual('due before', await idsOf(store.due(49, 10)), []);
    expectEqual('due then', await idsOf(store.due(50, 10)), [task.id]);
  },
  async 'count: unfinished tasks, of one owner or of all'(store, other) {
    const counts = (): Promise<number[]> =>
      Promise.all([other.count('owner'), other.count('another'), other.count('unknown'), other.count()]);
    const task = await createSampleTask(store);
    await createSampleTask(store, { id: 'second', owner: 'another' });
    expectEqual('counts of two tasks', await counts(), [1, 1, 0, 2]);
    await store.put({ ...task, version: 2, status: 'failed', outcome: { error: { code: 1, message: '' } } }, 1);
    expectEqual('counts after one has ended', await counts(), [0, 1, 0, 1]);
  },
};

const storageChecks: Record<string, CheckBody> = {
  async 'keeps JSON as it is: all texts, numbers and keys'(store, other) {
    const text = 'é 日本 🌊 \u0000 \u2028 \ud800 "\\ %s $1 \' -- :x';
    const numbers = [Number.MAX_SAFE_INTEGER, 1.7976931348623157e308, 5e-324, 0.1, -1];
    const odd = JSON.parse('{"__proto__":{"a":1},"":[],"constructor":null}') as StoredTask['arguments']; // an object
    const task = await createSampleTask(store, {
      arguments: { text, numbers, odd },
      steps: [[text, { value: [[], {}, null] }]],
    });
    expectEqual('get', await other.get(task.id), task);
  },
  async 'keeps JSON as it is: a member that is undefined is left out'(store) {
    const { id } = await createSampleTask(store, { arguments: { a: undefined } });
    expectEqual('members', Object.keys((await getTask(store, id)).arguments), []);
  },
  async 'keeps a task of 1 MiB'(store, other) {
    const task = await createSampleTask(store, { steps: [['large', { value: 'é'.repeat(2 ** 19) }]] });
    expectEqual('get', await other.get(task.id), task);
  },
  async 'keeps a copy: changing what was given or got changes nothing'(store) {
    const steps: [string, { value: number }][] = [['given', { value: 1 }]];
    const { id } = await createSampleTask(store, { steps });
    steps.pop();
    // Bypasses the readonly type, as a handler in JavaScript can.
    ((await getTask(store, id)) as { arguments: Record<string, unknown> }).arguments['added'] = 1;
    const { arguments: args, steps: kept } = await getTask(store, id);
    expectEqual('arguments and steps', [args, kept], [{}, [['given', { value: 1 }]]]);
  },
  async 'delete: the task is gone from everything'(store, other) {
    const { id } = await createSampleTask(store);
    await store.delete(id);
    expectEqual('get', await other.get(id), undefined);
    expectEqual('list', await idsOf(other.list('owner', undefined, 10)), []);
    expectEqual('due', await idsOf(other.due(Number.MAX_SAFE_INTEGER, 10)), []);
    expectEqual('counts', [await other.count('owner'), await other.count()], [0, 0]);
  },
  async 'delete: an unknown id does no harm'(store) {
    const task = await createSampleTask(store);
    await store.delete('unknown');
    expectEqual('get', await store.get(task.id), task);
  },
  async 'close: the tasks stay for other handles'(store, other) {
    const task = await createSampleTask(store);
    await store.close?.();
    expectEqual('get', await other.get(task.id), task);
  },
  async 'watch, if there is one: calls back when another handle changes a task, until it is stopped'(store, other) {
    const task = await createSampleTask(store);
    const calls: string[] = [];
    let stop: (() => void) | undefined;
    const called = new Promise<void>((resolve) => {
      stop = other.watch?.((id) => {
        calls.push(id);
        resolve();
      });
      if (stop === undefined) resolve();
    });
    await store.put({ ...task, version: 2 }, 1);
    await inTime('a call of the listener', called);
    stop?.();
    await store.put({ ...task, version: 3 }, 2);
    expectEqual('calls', calls, other.watch === undefined ? [] : [task.id]);
  },
};

/** Changes of a sample task that a run has leased. */
const leased = { dueAt: 500, runs: 3, lease: { by: 'a', until: 500 } };

async function getTask(store: TaskStore, id: string): Promise<StoredTask> {
  const task = await store.get(id);
  if (task === undefined) throw new Error(`Expected the task ${id}, got none`);
  return task;
}

const idsOf = async (tasks: Promise<readonly StoredTask[]>): Promise<string[]> => (await tasks).map(({ id }) => id);

/** Increments the progress of a task by compare-and-set, with retries, as a server does. */
async function countUp(store: TaskStore, id: string): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const task = await getTask(store, id);
    const progress = { done: (task.progress?.done ?? 0) + 1 };
    if (await store.put({ ...task, progress, version: task.version + 1 }, task.version)) return;
  }
  throw new Error('Expected one of 1,000 puts to succeed, got none');
}
