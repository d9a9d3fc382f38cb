/** Two processes on one store, in every order of their operations: no step has two results, no task two outcomes, none is lost. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredTask, TaskHolder } from '../../model/task-record.ts';
import {
  answerTask,
  beginStep,
  endTask,
  handOverTask,
  isHeldBy,
  parkTask,
  recordStep,
  releaseTask,
  seeTask,
  suspendTask,
  type TakeOptions,
  takeTask,
} from './record.ts';

const times = { runMs: 1_000, askMs: 5_000, keepMs: 100 };
const LEASE = 20;

const fresh = (more: Partial<StoredTask> = {}): StoredTask => ({
  id: 't',
  version: 1,
  owner: '',
  form: 'handle',
  tool: 'work',
  arguments: {},
  caller: { capabilities: {} },
  code: '1',
  resume: true,
  isSeen: true,
  status: 'working',
  createdAt: 0,
  updatedAt: 0,
  ttlMs: 1_100,
  pollMs: 1,
  endsAt: 1_000,
  dueAt: 0,
  asked: [],
  questions: [],
  answers: [],
  begun: [],
  steps: [],
  runs: 0,
  interruptions: 0,
  ...more,
});

const takeBy = (by: string, now: number, more: Partial<TakeOptions> = {}): TakeOptions => ({
  by,
  now,
  leaseMs: LEASE,
  maxInterruptions: 1_000,
  code: '1',
  times,
  outliveAuth: false,
  ...more,
});

/** What a process does next. `stall` lets the lease expire, so that the other process can take the task. */
type Move = { readonly by: 'a' | 'b'; readonly what: 'take' | 'step' | 'end' | 'write' | 'stall' };
const move: fc.Arbitrary<Move> = fc.record({
  by: fc.constantFrom('a' as const, 'b' as const),
  what: fc.constantFrom('take' as const, 'step' as const, 'end' as const, 'write' as const, 'stall' as const),
});

test('whatever two processes do and whenever they stall, a step has one result and a task one outcome', () => {
  fc.assert(
    fc.property(fc.array(move, { minLength: 5, maxLength: 60 }), (moves) => {
      let stored = fresh();
      let now = 0;
      const history: StoredTask[] = [stored];
      /** What each process believes to hold, and a change that it has read for and not written yet. */
      const held = new Map<string, TaskHolder>();
      const unwritten = new Map<string, { readonly next: StoredTask; readonly expected: number }>();
      const put = (next: StoredTask | undefined, expected: number): boolean => {
        if (next === undefined || stored.version !== expected) return false;
        stored = { ...next, version: expected + 1 };
        history.push(stored);
        return true;
      };
      for (const { by, what } of moves) {
        const holder = held.get(by);
        if (what === 'stall') now += LEASE + 1;
        else if (what === 'take') {
          if (put(takeTask(stored, takeBy(by, now)), stored.version) && stored.lease !== undefined) {
            held.set(by, { by, run: stored.runs });
          }
        } else if (what === 'write') {
          // The write of a process that stalled between reading and writing.
          const late = unwritten.get(by);
          unwritten.delete(by);
          if (late !== undefined) put(late.next, late.expected);
        } else if (holder !== undefined) {
          const next =
            what === 'step'
              ? stored.steps.some(([key]) => key === `s${holder.run}`)
                ? undefined
                : recordStep(stored, holder, `s${holder.run}`, { value: by })
              : isHeldBy(stored, holder)
                ? endTask(stored, { result: { by } }, now, times)
                : undefined;
          if (next !== undefined) unwritten.set(by, { next, expected: stored.version });
        }
      }
      for (const { steps } of history) expect(new Set(steps.map(([key]) => key)).size).toBe(steps.length);
      // Each step was written by the run whose number it has, while that run held the task.
      for (const [at, task] of history.entries()) {
        const before = history[at - 1];
        if (before === undefined || task.steps.length <= before.steps.length) continue;
        expect(task.steps.at(-1)).toEqual([`s${before.runs}`, { value: before.lease?.by }]);
      }
      const outcomes = new Set(
        history.flatMap(({ outcome }) => (outcome === undefined ? [] : [JSON.stringify(outcome)])),
      );
      expect(outcomes.size).toBeLessThanOrEqual(1);
      for (const [at, task] of history.entries()) {
        const before = history[at - 1];
        if (before?.outcome !== undefined) expect(task.outcome).toEqual(before.outcome);
        expect(task.runs).toBeGreaterThanOrEqual(before?.runs ?? 0);
        expect(task.ttlMs).toBeGreaterThanOrEqual(before?.ttlMs ?? 0);
        // None is lost: as long as it has not ended, some process will look at it.
        if (task.outcome === undefined)
          expect(task.dueAt).toBeLessThanOrEqual(Math.max(task.endsAt, task.lease?.until ?? 0));
      }
    }),
    { numRuns: 500 },
  );
});

const taken = (task: StoredTask, by = 'a', now = 0): StoredTask => takeTask(task, takeBy(by, now)) ?? task;
const holderOfRun = (task: StoredTask): TaskHolder => ({ by: task.lease?.by ?? '', run: task.runs });

test('a run that lost its task writes nothing, not even with the newest version', () => {
  const first = taken(fresh());
  const old = holderOfRun(first);
  const second = taken(first, 'a', LEASE + 1);
  expect(second.runs).toBe(2);
  expect(recordStep(second, old, 's', {})).toBeUndefined();
  expect(beginStep(second, old, 's')).toBeUndefined();
  expect(suspendTask(second, old, { questions: [], asked: [] }, 0, times)).toBeUndefined();
  expect(releaseTask(second, old, 0, 0)).toBeUndefined();
  expect(handOverTask(second, old, 0)).toBeUndefined();
});

test('a task that is held is not taken, one that has ended is not changed, and a finished one keeps its status', () => {
  const held = taken(fresh());
  expect(takeTask(held, takeBy('b', LEASE - 1))).toBeUndefined();
  const ended = endTask(held, { cancelled: true }, 5, times) ?? held;
  expect(ended).toMatchObject({ status: 'cancelled', questions: [], dueAt: 1_100 });
  expect(ended.lease).toBeUndefined();
  expect(endTask(ended, { result: {} }, 6, times)).toBeUndefined();
  expect(takeTask(ended, takeBy('b', 2_000))).toBeUndefined();
  expect(answerTask(ended, { a: {} }, 6, times)).toBeUndefined();
  expect(seeTask({ ...ended, isSeen: false }, 6, undefined)).toBeUndefined();
});

test('an answer that comes while the handler still stops is not asked for again, and makes the task due', () => {
  const task = taken(fresh());
  const holder = holderOfRun(task);
  const question = { method: 'elicitation/create', params: {} };
  const asked = suspendTask(task, holder, { questions: [['q', question]], asked: [] }, 10, times) ?? task;
  expect(asked).toMatchObject({ status: 'input_required', endsAt: 5_010, ttlMs: 5_110 });
  const answered = answerTask(asked, { q: { action: 'accept' }, other: {} }, 11, times) ?? asked;
  expect(answered).toMatchObject({ status: 'working', questions: [], answers: [['q', { action: 'accept' }]] });
  const again = suspendTask(answered, holder, { questions: [['q', question]], asked: [] }, 12, times) ?? answered;
  expect(again.questions).toEqual([]);
  expect(releaseTask(again, holder, 13, 0)).toMatchObject({ dueAt: 13 });
  expect(releaseTask(asked, holder, 13, 0)).toMatchObject({ dueAt: 5_010 });
});

test('a task whose caller is gone waits until the caller is back, and then due at once', () => {
  const task = taken(fresh({ isSeen: false }));
  expect(parkTask(task, LEASE - 1)).toBeUndefined();
  const parked = parkTask(task, LEASE + 1) ?? task;
  expect(parked.dueAt).toBe(1_000);
  expect(seeTask(parked, 50, undefined)).toMatchObject({ isSeen: true, dueAt: 50 });
  expect(parkTask({ ...task, isSeen: true }, LEASE + 1)).toBeUndefined();
});

test('a newer authorization replaces the older one, and an expired one ends the task when it would run', () => {
  const auth = { subject: 'ada', scopes: [], expiresAt: 100 };
  const task = fresh({ auth });
  expect(takeTask(task, takeBy('a', 101))).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('expired'),
  });
  expect(takeTask(task, takeBy('a', 101, { outliveAuth: true }))?.outcome).toBeUndefined();
  expect(seeTask(task, 101, { ...auth, expiresAt: 500 })).toMatchObject({ auth: { expiresAt: 500 } });
  expect(seeTask(task, 101, { ...auth, expiresAt: 50 })).toBeUndefined();
});
