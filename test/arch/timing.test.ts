/** Tests do not fail on a busy machine: their timeouts only tell slow from never. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesUnder } from '../../scripts/files.ts';
import { LONG_TESTS } from '../../scripts/runs.ts';
import { textOf } from '../support/source.ts';

const tests = ['src', 'test/features', 'test/arch', 'test/conformance'].flatMap((folder) =>
  filesUnder(folder, '.test.ts'),
);
const self = 'test/arch/timing.test.ts';

test('unit tests wait with soon() or eventually(), not with the one second that Vitest gives', () => {
  const short = tests.filter((file) => file !== self && /\bvi\.waitFor\(|\bexpect\.poll\(/.test(textOf(file)));
  expect(short).toEqual([]);
});

test('no unit test has less time than the default', () => {
  const short = tests.filter((file) => file !== self && /\{ timeout: [1-9]_?\d{0,3} \}/.test(textOf(file)));
  expect(short).toEqual([]);
});

test('no unit test measures how long something takes', () => {
  const measuring = tests.filter((file) => file !== self && /\b(?:performance|Date)\.now\(\) - /.test(textOf(file)));
  expect(measuring).toEqual([]);
});

test('every file that only npm test runs is there', () => {
  expect(LONG_TESTS.filter((file) => !existsSync(file))).toEqual([]);
});
