/** One lock file shared by several host processes. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readLock } from '../../src/host/lock/lock-file.ts';
import { eventually } from '../support/children.ts';

const program = fileURLToPath(new URL('../../.cache/fixtures/lock-writer.mjs', import.meta.url));
const run = promisify(execFile);

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-lock-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('hosts that write one lock file at the same time lose nothing of each other', async () => {
  const folder = await place();
  const path = join(folder, 'mcp.lock');
  const labels = ['mail', 'shop', 'diary', 'files', 'web'];
  const runs = await Promise.all(labels.map((label) => run(process.execPath, [program, path, label, '8'])));
  expect(runs.map(({ stderr }) => stderr).join('')).toBe('');
  const pinned = await readLock(path, (warning) => expect.unreachable(warning));
  expect([...pinned.keys()].toSorted()).toEqual(labels.toSorted());
  for (const { pins } of pinned.values()) expect([...pins.values()].filter(({ approved }) => approved)).toHaveLength(8);
  expect(await readdir(folder)).toEqual(['mcp.lock']);
});

test('a host that is killed while it writes leaves a whole file, and keeps no other process from writing', async () => {
  const folder = await place();
  const path = join(folder, 'mcp.lock');
  for (let i = 0; i < 5; i++) {
    const child = spawn(process.execPath, [program, path, `killed-${i}`, '500'], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    await eventually('it writes', () => existsSync(path) && existsSync(`${path}.lock`));
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    await readLock(path, (warning) => expect.unreachable(warning));
  }
  await run(process.execPath, [program, path, 'after', '1']);
  expect([...(await readLock(path, () => undefined)).keys()]).toContain('after');
});
