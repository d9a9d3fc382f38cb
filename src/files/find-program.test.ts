import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findProgram, isFile } from './find-program.ts';

/** Two folders: in the first, `tool` is a folder and `plain` cannot be run; in the second, both are programs. */
async function folders() {
  const root = await mkdtemp(join(tmpdir(), 'mooring-find-'));
  const [first, second] = [join(root, 'first'), join(root, 'second')];
  await mkdir(join(first, 'tool'), { recursive: true });
  await mkdir(second);
  for (const file of [join(first, 'plain'), join(second, 'plain'), join(second, 'tool')]) await writeFile(file, '');
  for (const file of [join(second, 'plain'), join(second, 'tool')]) await chmod(file, 0o755);
  const search = { cwd: root, env: { PATH: `${first}::${second}` }, platform: 'linux' };
  return { first, second, search, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

test('findProgram() returns the first executable file in PATH, never a folder', async () => {
  await using at = await folders();
  expect(findProgram('tool', at.search)).toBe(join(at.second, 'tool'));
  expect(findProgram('plain', at.search)).toBe(join(at.second, 'plain'));
  expect(findProgram('nothing', at.search)).toBeUndefined();
});

test('findProgram() returns a file that is not executable if the caller accepts it', async () => {
  await using at = await folders();
  expect(findProgram('plain', at.search, isFile)).toBe(join(at.first, 'plain'));
});

test('findProgram() resolves a command with a slash from the working directory, without PATH', async () => {
  await using at = await folders();
  expect(findProgram('./second/tool', at.search)).toBe(join(at.second, 'tool'));
  expect(findProgram(join(at.second, 'tool'), at.search)).toBe(join(at.second, 'tool'));
  expect(findProgram('./tool', at.search)).toBeUndefined();
});
