import { expect, test } from 'vitest';
import { pollInterval } from './poll-interval.ts';

test('the interval of the server is kept, between a quarter of a second and a minute', () => {
  expect(pollInterval(5_000, 9, 0)).toBe(5_000);
  expect(pollInterval(250, 0, 0)).toBe(250);
  for (const tooShort of [0, 1, 249, -5]) expect(pollInterval(tooShort, 0, 0)).toBe(250);
  for (const tooLong of [60_001, 1e12, Number.POSITIVE_INFINITY]) expect(pollInterval(tooLong, 0, 0)).toBe(60_000);
});

test('without an interval of the server, the delay grows to fifteen seconds while nothing changes', () => {
  expect([0, 1, 2, 6, 7, 100].map((unchanged) => pollInterval(undefined, unchanged, 0))).toEqual([
    1_000, 1_500, 2_250, 11_390.625, 15_000, 15_000,
  ]);
});

test('chance makes the delay up to a tenth longer, and never shorter or more than a minute', () => {
  expect(pollInterval(1_000, 0, 1)).toBeCloseTo(1_100);
  expect(pollInterval(0, 0, 1)).toBeCloseTo(275);
  expect(pollInterval(60_000, 0, 1)).toBe(60_000);
});
