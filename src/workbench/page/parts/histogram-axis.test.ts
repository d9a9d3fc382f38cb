import { expect, test } from 'vitest';
import { histogramAxis } from './histogram-axis.ts';

const counts = (...all: readonly (readonly [below: number | undefined, count: number])[]) =>
  all.map(([below, count]) => ({ below, count }));

test('the mark of a value lies between the labels of the limits around it', () => {
  const histogram = counts([500, 0], [1_000, 1], [2_000, 0], [5_000, 2], [10_000, 0]);
  const { place, labels } = histogramAxis(histogram, 100);
  const at = (ms: number): number => labels.find((label) => label.ms === ms)?.x ?? Number.NaN;
  expect(place(2_100)).toBeGreaterThan(at(2_000));
  expect(place(2_100)).toBeLessThan(at(5_000));
  expect(at(10_000)).toBe(100);
});

test('the last bar of a histogram has no limit and no label, and empty bars at the ends are left out', () => {
  const { bars, labels, place } = histogramAxis(counts([1, 0], [2, 0], [5, 3], [undefined, 1]), 90);
  expect(bars.map(({ below }) => below)).toEqual([2, 5, undefined]);
  expect(labels).toEqual([
    { ms: 2, x: 30 },
    { ms: 5, x: 60 },
  ]);
  expect(place(9)).toBe(75);
});
