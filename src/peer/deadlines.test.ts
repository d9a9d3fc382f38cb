import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualClock } from '../testing/virtual-clock.ts';
import type { Clock } from './clock.ts';
import { type Deadline, Deadlines } from './deadlines.ts';

/** Arms deadlines that are due after `ms`. */
const arming =
  (deadlines: Deadlines, clock: Clock) =>
  (ms: number, expire: () => void): Deadline => {
    const deadline: Deadline = { due: clock.now() + ms, place: -1, expire };
    deadlines.arm(deadline);
    return deadline;
  };

/** A virtual clock that records the delay of each timer. */
function counting(): ReturnType<typeof virtualClock> & { timers: number[] } {
  const clock = virtualClock();
  const timers: number[] = [];
  const after: Clock['after'] = (ms, run) => {
    timers.push(ms);
    return clock.after(ms, run);
  };
  return { ...clock, after, timers };
}

test('each deadline expires when it is due, not before and not twice', async () => {
  const clock = virtualClock();
  const deadlines = new Deadlines(clock);
  const arm = arming(deadlines, clock);
  const expired: string[] = [];
  arm(200, () => expired.push('later'));
  arm(100, () => expired.push('sooner'));
  await clock.advance(99);
  expect(expired).toEqual([]);
  await clock.advance(1);
  expect(expired).toEqual(['sooner']);
  await clock.advance(1000);
  expect(expired).toEqual(['sooner', 'later']);
});

test('a thousand deadlines of the same length cost one timer', () => {
  const clock = counting();
  const deadlines = new Deadlines(clock);
  const arm = arming(deadlines, clock);
  for (let i = 0; i < 1000; i++) deadlines.disarm(arm(60_000, () => undefined));
  expect(clock.timers).toEqual([60_000]);
});

test('a disarmed deadline does not expire, even if one that expires at the same moment disarmed it', async () => {
  const clock = virtualClock();
  const deadlines = new Deadlines(clock);
  const arm = arming(deadlines, clock);
  const expired: string[] = [];
  const first = arm(100, () => {
    expired.push('first');
    deadlines.disarm(second);
  });
  const second = arm(100, () => expired.push('second'));
  const third = arm(50, () => expired.push('third'));
  deadlines.disarm(third);
  await clock.advance(500);
  expect(expired).toEqual(['first']);
  expect(first.due).toBe(100);
});

test('an extended deadline expires at its new time', async () => {
  const clock = virtualClock();
  const deadlines = new Deadlines(clock);
  const arm = arming(deadlines, clock);
  let expired = false;
  const deadline = arm(100, () => {
    expired = true;
  });
  await clock.advance(90);
  deadline.due = clock.now() + 100;
  await clock.advance(99);
  expect(expired).toBe(false);
  await clock.advance(1);
  expect(expired).toBe(true);
});

test('a deadline that is armed by an expiring one expires later', async () => {
  const clock = virtualClock();
  const deadlines = new Deadlines(clock);
  const arm = arming(deadlines, clock);
  const expired: number[] = [];
  const again = (): void => {
    expired.push(clock.now());
    if (expired.length < 3) arm(10, again);
  };
  arm(10, again);
  arm(25, () => expired.push(-1));
  await clock.advance(100);
  expect(expired).toEqual([10, 20, -1, 30]);
});

test('close disarms all deadlines', async () => {
  const clock = virtualClock();
  const deadlines = new Deadlines(clock);
  const arm = arming(deadlines, clock);
  let expired = 0;
  for (const ms of [1, 10, 100]) arm(ms, () => expired++);
  deadlines.close();
  await clock.advance(1000);
  expect(expired).toBe(0);
  arm(5, () => expired++);
  await clock.advance(5);
  expect(expired).toBe(1);
});

test('a deadline beyond the longest timer does not expire early, and an infinite one never expires', async () => {
  const clock = counting();
  const deadlines = new Deadlines(clock);
  const arm = arming(deadlines, clock);
  let expired = 0;
  arm(Number.POSITIVE_INFINITY, () => expired++);
  expect(clock.timers).toEqual([]);
  arm(2 ** 40, () => expired++);
  expect(clock.timers).toEqual([2 ** 31 - 1]);
  await clock.advance(2 ** 31);
  expect(expired).toBe(0);
  await clock.advance(2 ** 40);
  expect(expired).toBe(1);
});

test('of any armed, extended and disarmed deadlines, those still armed expire, on time', async () => {
  const step = fc.record({ ms: fc.integer({ min: 0, max: 50 }), act: fc.constantFrom('keep', 'disarm', 'extend') });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const clock = virtualClock();
      const deadlines = new Deadlines(clock);
      const arm = arming(deadlines, clock);
      const expired = new Map<number, number>();
      const wanted = new Map<number, number>();
      steps.forEach(({ ms, act }, i) => {
        const deadline = arm(ms, () => expired.set(i, clock.now()));
        if (act === 'disarm') deadlines.disarm(deadline);
        else if (act === 'extend') deadline.due += 7;
        if (act !== 'disarm') wanted.set(i, act === 'extend' ? ms + 7 : ms);
      });
      await clock.advance(100);
      expect(new Map([...expired].sort())).toEqual(new Map([...wanted].sort()));
    }),
    { numRuns: 50 },
  );
});
