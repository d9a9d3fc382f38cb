/** The figures on the pages are those of the results that are kept, and none is claimed that a round contradicts. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { figures, verdicts } from '../../bench/budgets.ts';
import { atLeast, atMost, factorOf, isSteady } from '../../bench/claims.ts';
import type { Run } from '../../bench/report/write.ts';
import { textOf } from '../support/source.ts';

const newest = readdirSync('bench/results')
  .filter((file) => file.endsWith('.json'))
  .sort()
  .at(-1);
const run = JSON.parse(textOf(`bench/results/${newest}`)) as Run; // as the bench wrote it
const plain = run.scenarios.filter(({ over }) => over === undefined);

test('the pages have the figures of the newest results', () => {
  expect(textOf('README.md')).toContain(figures(plain));
  expect(textOf('bench/README.md')).toContain(verdicts(plain));
});

test('the README says on which day, in how many rounds and under which load its figures were taken', () => {
  const load = run.machine.load.map((one) => one.toFixed(1)).join(' to ');
  expect(textOf('README.md')).toContain(
    `Of ${run.date.slice(0, 10)}: the least and the most of ${run.effort.rounds} interleaved rounds on ${run.machine.cores} cores, under a load of ${load}.`,
  );
});

test('a budget is met or missed only where every round says so', () => {
  const measured = { median: 1.62, min: 1.15, max: 6.08 };
  expect(atMost(measured, 1.3)).toBe('undecided');
  expect(atMost(measured, 6.08)).toBe('met');
  expect(atMost(measured, 1.14)).toBe('missed');
  expect(atLeast(measured, 1.15)).toBe('met');
  expect(atLeast(measured, 6.09)).toBe('missed');
  expect(atLeast(measured, 2)).toBe('undecided');
});

test('a row whose rounds differ by more than a factor of two has no figure', () => {
  expect(isSteady({ median: 1.62, min: 1.15, max: 6.08 })).toBe(false);
  expect(isSteady({ median: 1.42, min: 1, max: 2 })).toBe(true);
  const wide = { median: 1.6, min: 1.1, max: 6 };
  const contender = (name: string, ratio: typeof wide) => ({ name, ratio, cost: ratio });
  const row = { id: '16', title: '16', unit: 'CPU µs' as const };
  const contenders = [contender('Mooring', wide), contender('official v2', { median: 9, min: 8, max: 10 })];
  const page = figures([
    { id: 'http-session', title: 'x', about: 'x', limit: 'limit', rows: [{ ...row, contenders }] },
  ]);
  expect(page).not.toContain('at least');
  expect(page).toContain('Not claimed, since the rounds differ by more than a factor of two: HTTP server, in sessions');
});

test('a factor between two contenders is as wide as the rounds of both allow', () => {
  const factor = factorOf(
    { name: 'theirs', ratio: { median: 10, min: 8, max: 12 } },
    { name: 'ours', ratio: { median: 1, min: 0.5, max: 2 } },
  );
  expect(factor).toEqual({ median: 10, min: 4, max: 24 });
});
