import { expect, test } from 'vitest';
import { virtualClock } from './virtual-clock.ts';

test('a virtual clock stands still until it is advanced', async () => {
  const clock = virtualClock();
  const ran: string[] = [];
  clock.after(1, () => ran.push('one'));
  await new Promise((resolve) => setImmediate(resolve));
  expect([clock.now(), ran]).toEqual([0, []]);
  await clock.advance(1);
  expect([clock.now(), ran]).toEqual([1, ['one']]);
});

test('a virtual clock runs timers by due time, then in the order they were set', async () => {
  const clock = virtualClock();
  const ran: [string, number][] = [];
  for (const [name, ms] of [
    ['late', 30],
    ['first', 10],
    ['second', 10],
    ['never', 31],
  ] as const) {
    clock.after(ms, () => ran.push([name, clock.now()]));
  }
  await clock.advance(30);
  expect(ran).toEqual([
    ['first', 10],
    ['second', 10],
    ['late', 30],
  ]);
});

test('a virtual clock also runs timers that are set during advance(), after promises have settled', async () => {
  const clock = virtualClock();
  const seen: number[] = [];
  clock.after(10, () => {
    void Promise.resolve()
      .then(() => undefined)
      .then(() => clock.after(10, () => seen.push(clock.now())));
  });
  await clock.advance(20);
  expect(seen).toEqual([20]);
});

test('a timer that is cancelled does not run', async () => {
  const clock = virtualClock();
  let ran = false;
  const stop = clock.after(1, () => {
    ran = true;
  });
  stop();
  await clock.advance(10);
  expect(ran).toBe(false);
});

test('advance() moves now() and wall() alike', async () => {
  const clock = virtualClock();
  const start = clock.wall();
  await clock.advance(250);
  expect([clock.now(), clock.wall() - start]).toEqual([250, 250]);
});
