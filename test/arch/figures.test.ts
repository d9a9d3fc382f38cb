/** The figures on the pages match the stored benchmark results, and no round contradicts them. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { figures, verdicts } from '../../bench/budgets.ts';
import { atLeast, atMost, factorOf, isSteady } from '../../bench/claims.ts';
import { officialVersion, type Run, underLoad } from '../../bench/report/write.ts';
import type { RowResult } from '../../bench/scenario.ts';
import type { Spread } from '../../bench/stats.ts';
import { textOf } from '../support/source.ts';

const newest = readdirSync('bench/results')
  .filter((file) => file.endsWith('.json'))
  .sort()
  .at(-1);
const run = JSON.parse(textOf(`bench/results/${newest}`)) as Run; // the benchmark wrote it
const plain = run.scenarios.filter(({ over }) => over === undefined);

test('the pages have the figures of the newest results', () => {
  expect(textOf('README.md')).toContain(figures(plain, officialVersion(run)));
  expect(textOf('bench/README.md')).toContain(verdicts(plain));
});

test('the README says what 1 × is, in how many rounds, and on which days its figures were taken', () => {
  expect(textOf('README.md')).toContain(underLoad(run));
  const fiveRounds = (rows: readonly RowResult[]): RowResult[] =>
    rows.map((row) => ({
      ...row,
      contenders: row.contenders.map((one) => ({ ...one, ...(one.rounds && { rounds: [1, 2, 3, 4, 5] }) })),
    }));
  const scenarios = plain.map(({ day: _day, ...one }) => ({ ...one, rows: fiveRounds(one.rows) }));
  const taken = (more: Partial<Run>): string =>
    underLoad({ ...run, date: '2026-11-18T07:00:00Z', effort: { ...run.effort, rounds: 21 }, ...more });
  const facts = `of 5 interleaved rounds,`;
  const load = run.machine.load.map((one) => one.toFixed(1)).join(' to ');
  expect(taken({ scenarios })).toContain(`${facts} 2026-11-18, ${run.machine.cores} cores, load ${load}.`);
  // The load of this run does not apply to earlier figures.
  const kept = scenarios.map((one) => ({ ...one, day: one.id === 'stdio' ? '2026-11-17' : undefined }));
  expect(taken({ scenarios: kept })).toContain(`${facts} 2026-11-17 and 2026-11-18, ${run.machine.cores} cores.`);
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
  const row = { id: '16', title: '16', unit: 'CPU µs' as const };
  const page = (ours: Spread): string => {
    const contenders = [
      { name: 'Mooring', ratio: ours, cost: ours },
      { name: 'official v2', ratio: { median: 9, min: 8.19, max: 10 }, cost: ours },
    ];
    return figures(
      [{ id: 'http-session', title: 'x', about: 'x', limit: 'limit', rows: [{ ...row, contenders }] }],
      '2',
    );
  };
  expect(page({ median: 1.6, min: 1.1, max: 6 })).not.toContain('HTTP server');
  // Rounded against us.
  expect(page({ median: 1.3, min: 1.1, max: 1.41 })).toContain('| HTTP server, in sessions | 1.5 × | 8.1 × |');
});

test('a factor between two contenders is as wide as the rounds of both allow', () => {
  const factor = factorOf(
    { name: 'theirs', ratio: { median: 10, min: 8, max: 12 } },
    { name: 'ours', ratio: { median: 1, min: 0.5, max: 2 } },
  );
  expect(factor).toEqual({ median: 10, min: 4, max: 24 });
});
