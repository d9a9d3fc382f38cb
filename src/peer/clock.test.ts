/** `systemClock`, with delays longer than `setTimeout` supports. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const DAY_MS = 86_400_000;

test('timers of 30 and 100 days fire after 30 and 100 days, not at once', () => {
  const ended: number[] = [];
  for (const days of [30, 100]) systemClock.after(days * DAY_MS, () => ended.push(days));
  vi.advanceTimersByTime(29 * DAY_MS);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(DAY_MS);
  expect(ended).toEqual([30]);
  vi.advanceTimersByTime(70 * DAY_MS);
  expect(ended).toEqual([30, 100]);
});

test('an infinite timer never fires, nor does a long one that is stopped after 28 days', () => {
  const run = vi.fn();
  systemClock.after(Number.POSITIVE_INFINITY, run);
  const stop = systemClock.after(30 * DAY_MS, run);
  vi.advanceTimersByTime(28 * DAY_MS);
  stop();
  vi.advanceTimersByTime(300 * DAY_MS);
  expect(run).not.toHaveBeenCalled();
});
