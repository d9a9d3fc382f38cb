/** Tests that pass only at the second try are named, in every test configuration. */
import { expect, test, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import { RETRIES, SECOND_TRY, SecondTryReport } from '../support/second-try.ts';
import { textOf } from '../support/source.ts';

const configurations = ['', 'test/interop/', 'test/stores/', 'test/workbench/'].map(
  (place) => `${place}vitest.config.ts`,
);

test.each(configurations)('%s names the tests that it retries', (file) => {
  const text = textOf(file);
  expect(text.match(/retry: RETRIES/g)?.length).toBe(text.match(/include: \[/g)?.length);
  expect(text).toContain('new SecondTryReport()');
});

test('a test that passed at the second try is named, and no other', () => {
  const tests = [true, false].map((flaky) => ({ fullName: `flaky ${flaky}`, diagnostic: () => ({ flaky }) }));
  const module = { moduleId: new URL('../a.test.ts', import.meta.url).pathname, children: { allTests: () => tests } };
  const log = vi.spyOn(console, 'log').mockReturnValue();
  new SecondTryReport().onTestRunEnd([module as unknown as TestModule]); // the members that it reads
  expect(log.mock.calls).toEqual([[`${SECOND_TRY}test/a.test.ts › flaky true`]]);
  log.mockRestore();
});

test('a step alone shows each failure, so only the runs of all steps try again', () => {
  expect(RETRIES).toBe(process.env['SECOND_TRY'] === '1' ? 1 : 0);
  expect(textOf('scripts/steps.ts')).toContain("SECOND_TRY: '1', ...process.env");
});
