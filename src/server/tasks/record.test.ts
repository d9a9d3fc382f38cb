/** Two processes on one store, with all orders of their operations: one result per step, one outcome per task, and no lost task. */
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
  postponeTask,
  recordStep,
  releaseTask,
  seeTask,
  suspendTask,
  type TakeOptions,
  takeTask,
  withTaskProgress,
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
      /** What each process believes to hold, and a change that it has prepared but not written yet. */
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
        // Until it has ended, some process will handle it.
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
  for (const now of [30, 2_000]) expect(takeTask(ended, takeBy('b', now))).toBeUndefined();
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
  // It waits for an answer, or for a free slot.
  expect(parkTask({ ...task, lease: undefined }, LEASE + 1)).toBeUndefined();
});

test('a task whose caller comes back with a newer authorization is due when it was', () => {
  const auth = { subject: 'ada', scopes: [], expiresAt: 100 };
  const cut = taken(fresh({ auth }));
  const seen = seeTask(cut, LEASE + 1, { ...auth, expiresAt: 500 });
  expect(seen).toMatchObject({ auth: { expiresAt: 500 }, dueAt: cut.dueAt });
});

test('of several questions, those without an answer stay open, and an answer that the run did not see makes the task due', () => {
  const task = taken(fresh());
  const holder = holderOfRun(task);
  const question = { method: 'elicitation/create', params: {} };
  const questions = ['a', 'b', 'c'].map((wire) => [wire, question] as const);
  const asked = suspendTask(task, holder, { questions, asked: [] }, 10, times) ?? task;
  const partly = answerTask(asked, { a: {}, c: {} }, 11, times) ?? asked;
  expect(partly).toMatchObject({ status: 'input_required', questions: [['b', question]] });
  expect(partly.answers).toHaveLength(2);
  expect(releaseTask(partly, holder, 13, 0)?.dueAt).toBe(13);
  expect(releaseTask(partly, holder, 13, 2)?.dueAt).toBe(partly.endsAt);
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

const failure = (task: StoredTask | undefined): unknown => [task?.status, task?.message, task?.lease, task?.runs];

test('a task whose process died is failed if its tool must not run twice, and is run again otherwise', () => {
  const cut = taken(fresh({ resume: false }));
  expect(takeTask(cut, takeBy('b', LEASE - 1))).toBeUndefined();
  expect(failure(takeTask(cut, takeBy('b', LEASE)))).toEqual(['failed', 'Interrupted by a restart', undefined, 1]);
  const again = takeTask(taken(fresh()), takeBy('b', LEASE));
  expect(again).toMatchObject({ lease: { by: 'b', until: 2 * LEASE }, dueAt: 2 * LEASE, runs: 2, interruptions: 1 });
});

test('a process that closes hands its task over, and one that must not run twice then fails', () => {
  const resumable = taken(fresh());
  const released = handOverTask(resumable, holderOfRun(resumable), 5) ?? resumable;
  expect(released).toMatchObject({ dueAt: 5 });
  expect(takeTask(released, takeBy('b', 5))).toMatchObject({ lease: { by: 'b' }, interruptions: 0 });
  const once = taken(fresh({ resume: false }));
  const left = handOverTask(once, holderOfRun(once), 5) ?? once;
  expect(left).toMatchObject({ lease: { by: 'a', until: 5 }, dueAt: 5 });
  expect(takeTask(left, takeBy('b', 5))).toMatchObject({ status: 'failed', message: 'Interrupted by a restart' });
});

test('a task that is interrupted too often fails, and a recorded step or an answer starts the count again', () => {
  const task = taken(fresh({ interruptions: 2 }));
  const late = (one: StoredTask): StoredTask | undefined => takeTask(one, takeBy('b', LEASE, { maxInterruptions: 2 }));
  expect(failure(late(task))).toEqual(['failed', 'Interrupted 3 times without progress', undefined, 1]);
  expect(late(fresh({ interruptions: 2 }))).toMatchObject({ lease: { by: 'b' }, interruptions: 2 });
  const stepped = recordStep(task, holderOfRun(task), 's', {}) ?? task;
  expect(late(stepped)).toMatchObject({ lease: { by: 'b' }, interruptions: 1 });
  const question = { method: 'elicitation/create', params: {} };
  const answered = answerTask({ ...task, questions: [['q', question]] }, { q: {} }, 1, times) ?? task;
  expect(late(answered)).toMatchObject({ lease: { by: 'b' }, interruptions: 1 });
});

test('a task is not run at its deadline, and its failure names the questions that were not answered', () => {
  expect(takeTask(fresh(), takeBy('a', 999))?.outcome).toBeUndefined();
  expect(takeTask(fresh(), takeBy('a', 1_000))).toMatchObject({ message: 'The task took too long' });
  const question = { method: 'elicitation/create', params: {} };
  const open = fresh({
    questions: [
      ['size', question],
      ['color', question],
    ],
  });
  expect(takeTask(open, takeBy('a', 1_000))).toMatchObject({ message: 'Not answered in time: "size", "color"' });
});

test('an authorization ends at its own time, and a caller without one has nothing that ends', () => {
  const task = fresh({ auth: { subject: 'ada', scopes: [], expiresAt: 100 } });
  expect(takeTask(task, takeBy('a', 99))?.outcome).toBeUndefined();
  expect(takeTask(task, takeBy('a', 100))).toMatchObject({ status: 'failed' });
  expect(takeTask(fresh(), takeBy('a', 100))?.outcome).toBeUndefined();
});

test('a late answer leaves the full time for the work, and no answer shortens what the caller was told', () => {
  const question = { method: 'elicitation/create', params: {} };
  const waiting = fresh({
    status: 'input_required',
    questions: [
      ['q', question],
      ['r', question],
    ],
  });
  const late = answerTask(waiting, { q: { a: 1 } }, 900, times);
  expect(late).toMatchObject({ endsAt: 1_900, ttlMs: 2_000, status: 'input_required', dueAt: 900, updatedAt: 900 });
  expect(late?.questions.map(([wire]) => wire)).toEqual(['r']);
  expect(answerTask({ ...waiting, endsAt: 9_000, ttlMs: 9_100 }, { q: {} }, 900, times)).toMatchObject({
    endsAt: 9_000,
    ttlMs: 9_100,
  });
  expect(answerTask({ ...waiting, ttlMs: null }, { q: {} }, 900, times)).toMatchObject({ endsAt: 1_900, ttlMs: null });
  const running = answerTask(taken(waiting), { q: {} }, 10, times);
  expect(running?.dueAt).toBe(LEASE);
});

test('only an open question is answered, once, and inherited names of an object are no answers', () => {
  const question = { method: 'elicitation/create', params: {} };
  const waiting = fresh({
    questions: [
      ['q', question],
      ['toString', question],
    ],
  });
  expect(answerTask(waiting, { other: {} }, 1, times)).toBeUndefined();
  expect(answerTask(waiting, {}, 1, times)).toBeUndefined();
  const first = answerTask(waiting, { q: { n: 1 } }, 1, times) ?? waiting;
  expect(first.answers).toEqual([['q', { n: 1 }]]);
  expect(answerTask(first, { q: { n: 2 } }, 2, times)).toBeUndefined();
  expect(answerTask(first, { toString: { n: 3 } }, 2, times)?.answers).toEqual([
    ['q', { n: 1 }],
    ['toString', { n: 3 }],
  ]);
});

test('a task that has ended holds no data of its caller except its outcome', () => {
  const question = { method: 'elicitation/create', params: {} };
  const full = fresh({
    arguments: { secret: 1 },
    caller: { capabilities: {}, info: { name: 'c', version: '1' } },
    auth: { subject: 'ada', scopes: ['x'] },
    questions: [['q', question]],
    answers: [['p', { secret: 2 }]],
    steps: [['s', { value: 'secret' }]],
    begun: ['b'],
  });
  const ended = endTask(taken(full), { result: { content: [] } }, 5, times);
  expect(ended).toMatchObject({ status: 'completed', arguments: {}, caller: { capabilities: {} }, updatedAt: 5 });
  expect(ended?.caller.info).toBeUndefined();
  expect([ended?.auth, ended?.lease]).toEqual([undefined, undefined]);
  expect([ended?.questions, ended?.answers, ended?.steps, ended?.begun, ended?.asked]).toEqual([[], [], [], [], []]);
});

test('the result of a task is kept for the full time after its end, however late that is', () => {
  expect(endTask(fresh(), { result: {} }, 5, times)).toMatchObject({ ttlMs: 1_100, dueAt: 1_100 });
  expect(endTask(fresh({ createdAt: 50 }), { result: {} }, 2_000, times)).toMatchObject({ ttlMs: 2_050, dueAt: 2_100 });
  const kept = endTask(fresh({ ttlMs: null }), { error: { code: 1, message: 'no' } }, 5, times);
  expect(kept).toMatchObject({ ttlMs: null, dueAt: Number.MAX_SAFE_INTEGER, status: 'failed', message: 'no' });
});

test('a task is postponed only while it is due, and never beyond its deadline', () => {
  expect(postponeTask(fresh(), 0, 300)).toMatchObject({ dueAt: 300 });
  expect(postponeTask(fresh(), 0, 3_000)).toMatchObject({ dueAt: 1_000 });
  expect(postponeTask(fresh({ dueAt: 1 }), 0, 300)).toBeUndefined();
  expect(postponeTask(fresh({ outcome: { cancelled: true } }), 0, 300)).toBeUndefined();
});

test('a begun step is noted until its result is recorded', () => {
  const task = taken(fresh({ begun: ['other'] }));
  const holder = holderOfRun(task);
  const begun = beginStep(task, holder, 's') ?? task;
  expect(begun.begun).toEqual(['other', 's']);
  const done = recordStep(begun, holder, 's', { value: 1 });
  expect([done?.begun, done?.steps]).toEqual([['other'], [['s', { value: 1 }]]]);
});

test('only the run that holds a task reports its progress', () => {
  const task = taken(fresh());
  const holder = holderOfRun(task);
  const report = { message: 'half', done: 1 };
  expect(withTaskProgress(task, holder, { ...report, total: 2 }, 7)).toMatchObject({
    message: 'half',
    progress: { done: 1, total: 2 },
    updatedAt: 7,
  });
  expect(withTaskProgress(task, holder, report, 7)?.progress).toEqual({ done: 1 });
  expect(withTaskProgress(task, { ...holder, by: 'b' }, report, 7)).toBeUndefined();
  expect(withTaskProgress(task, { ...holder, run: 2 }, report, 7)).toBeUndefined();
});

test('a question that a handler asks again is stored once, and one it no longer asks is withdrawn', () => {
  const task = taken(fresh());
  const holder = holderOfRun(task);
  const question = { method: 'elicitation/create', params: {} };
  const asked = (wire: string): StoredTask['asked'][number] => [wire, { wire, digest: '', code: '1' }];
  const first = suspendTask(task, holder, { questions: [['q', question]], asked: [asked('q')] }, 1, times) ?? task;
  const second = suspendTask(
    first,
    holder,
    { questions: [['r', question]], asked: [asked('q'), asked('r')] },
    2,
    times,
  );
  expect(second?.asked.map(([key]) => key)).toEqual(['q', 'r']);
  expect(second?.questions.map(([wire]) => wire)).toEqual(['r']);
  expect(second).toMatchObject({ status: 'input_required', updatedAt: 2 });
  expect(suspendTask(first, holder, { questions: [], asked: [] }, 2, times)).toMatchObject({ status: 'working' });
});
