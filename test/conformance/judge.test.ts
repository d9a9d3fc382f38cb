/** What makes `npm run conformance` fail, and what does not. */
import { expect, test } from 'vitest';
import { Judge } from './judge.ts';
import type { ScenarioResult } from './suite.ts';

const result = (scenario: string, more: Partial<ScenarioResult> = {}): ScenarioResult => ({
  scenario,
  passed: 1,
  failed: 0,
  warnings: 0,
  notes: [],
  ...more,
});
const tasks = { scenario: 'tasks-*', why: 'not there', issue: 'extensions' };
const judging = (): Judge => new Judge({ server: [tasks], client: [] });

test('what passes and what may fail is no surprise', () => {
  const judge = judging();
  const row = judge.hear('all', 'server', [
    result('ping', { scored: true }),
    result('tasks-lifecycle', { failed: 3, scored: false }),
    result('tasks-skipped', { passed: 0, scored: false }),
  ]);
  judge.finish();
  expect(row).toMatchObject({ scored: '1/1', all: '1/3', excused: 2, warnings: 0, surprises: 0 });
  expect(judge.surprises).toEqual([]);
});

test.each<[string, Partial<ScenarioResult>, string]>([
  ['a failure', { failed: 1, notes: ['FAILURE it: broke'] }, 'FAILURE it: broke'],
  ['a warning', { warnings: 1, notes: ['WARNING it: creaks'] }, 'WARNING it: creaks'],
  ['a scenario in which nothing was checked', { passed: 0 }, 'nothing in it was checked'],
])('%s is a surprise', (_what, more, why) => {
  const judge = judging();
  expect(judge.hear('all', 'server', [result('ping', more)]).surprises).toBe(1);
  expect(judge.surprises[0]).toBe(`server all: ping does not pass\n    ${why}`);
});

test('so is an entry that passes, one that names nothing, and one of the other role', () => {
  const judge = judging();
  judge.hear('all', 'server', [result('tasks-lifecycle')]);
  expect(judge.surprises).toEqual(['server all: tasks-lifecycle passes, although expected-failures.yml has "tasks-*"']);
  const other = judging();
  other.hear('all', 'client', [result('tasks-lifecycle', { failed: 1 })]);
  other.finish();
  expect(other.surprises).toHaveLength(2);
  expect(other.surprises[1]).toBe('expected-failures.yml: there is no scenario "tasks-*"');
});
