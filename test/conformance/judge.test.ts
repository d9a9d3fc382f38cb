/** What makes `npm run conformance` fail, and what does not. */
import { expect, test } from 'vitest';
import { type Expectation, parseExpectations } from './expected.ts';
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
const expected = (scenario: string): Expectation => ({ scenario, why: 'not there', issue: 'extensions' });
const judging = (): Judge =>
  new Judge({ server: [expected('tasks-lifecycle'), expected('tasks-skipped')], client: [], gateway: [] });

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
  expect(judge.surprises).toEqual([
    'server all: tasks-lifecycle passes, although expected-failures.yml has "tasks-lifecycle"',
  ]);
  const other = judging();
  other.hear('all', 'client', [result('tasks-lifecycle', { failed: 1 })]);
  other.finish();
  expect(other.surprises.slice(1)).toEqual([
    'expected-failures.yml: there is no scenario "tasks-lifecycle"',
    'expected-failures.yml: there is no scenario "tasks-skipped"',
  ]);
});

test('a scenario that only begins like one that may fail is a surprise', () => {
  const judge = judging();
  expect(judge.hear('all', 'server', [result('tasks-lifecycle-2', { failed: 1 })]).surprises).toBe(1);
});

test('the list names scenarios one by one, each with a reason and an issue', () => {
  const list = (scenarios: string, rest = 'why: x, issue: y') => `server: [{ scenarios: ${scenarios}, ${rest} }]`;
  expect(parseExpectations(list('[a, b/c]'), 'f').server.map(({ scenario }) => scenario)).toEqual(['a', 'b/c']);
  expect(() => parseExpectations(list("['tasks-*']"), 'f')).toThrow('f: "tasks-*" is no scenario\'s whole name');
  expect(() => parseExpectations(list('[]'), 'f')).toThrow('names no scenarios');
  expect(() => parseExpectations(list('[a]', 'why: x'), 'f')).toThrow('"a" needs a name, why and issue');
});
