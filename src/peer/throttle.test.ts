/** `Throttle` on a virtual clock. */
import { expect, test } from 'vitest';
import { virtualClock } from '../testing/virtual-clock.ts';
import { Throttle } from './throttle.ts';

const burst = (rate: Throttle, tries: number): number =>
  Array.from({ length: tries }, () => rate.allows()).filter(Boolean).length;

test('a throttle allows up to its limit, and no more until the window ends', async () => {
  const clock = virtualClock();
  const rate = new Throttle(3, clock);
  expect(burst(rate, 10)).toBe(3);
  await clock.advance(999);
  expect(burst(rate, 10)).toBe(0);
  await clock.advance(1);
  expect(burst(rate, 10)).toBe(3);
});

test('a throttle does not carry unused allowance into the next window', async () => {
  const clock = virtualClock();
  const rate = new Throttle(2, clock, 100);
  await clock.advance(10_000);
  expect(burst(rate, 2)).toBe(2);
  expect(burst(rate, 10)).toBe(2);
  expect(burst(rate, 10)).toBe(0);
});
