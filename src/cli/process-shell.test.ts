import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { expect, test } from 'vitest';
import { folder, main } from '../../test/support/command-line.ts';

test('a working directory that was removed is no bug of mooring', async () => {
  await using at = await folder();
  const inRemoved = `require('node:fs').rmSync(process.cwd(), { recursive: true });
    const { status, stderr } = require('node:child_process').spawnSync(process.execPath, [${JSON.stringify(main)}, 'run', './server.ts']);
    process.stderr.write(stderr);
    process.exitCode = status;`;
  const options = { cwd: at.path, encoding: 'utf8', env: { ...process.env, PWD: at.path } } as const;
  const { status, stderr } = spawnSync(process.execPath, ['-e', inRemoved], options);
  expect([status, stderr]).toEqual([2, `error ./server.ts: file not found (${at.path}/server.ts); check the path\n`]);
});
