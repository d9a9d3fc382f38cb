import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { self } from '../support/command-line.ts';

// acceptance 25
test('a hundred thousand messages take few megabytes of the process', async () => {
  const [loader = '', tsx = ''] = self.args;
  const args = ['--expose-gc', loader, tsx, 'test/fixtures/many-messages.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { rows, megabytes } = JSON.parse(stdout) as Record<string, number>;
  expect(rows).toBe(100_000);
  // The process may take 150 in all, and takes about 90 without messages.
  expect(megabytes).toBeLessThan(40);
});
