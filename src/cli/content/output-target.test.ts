import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Shell } from '../shell.ts';
import { openOutputTarget, type SavedPart } from './output-target.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-output-'));
});
afterEach(() => rm(folder, { recursive: true }));

const part = (name: string): SavedPart => ({ name, mimeType: 'image/png', bytes: new Uint8Array(3) });

async function save(out: string, ...parts: readonly SavedPart[]): Promise<readonly string[]> {
  const shell = { cwd: folder, signal: new AbortController().signal } as unknown as Shell;
  await (await openOutputTarget({ out }, shell))?.save(parts);
  return (await readdir(folder)).toSorted();
}

test('the longest names that servers and users can give are saved', async () => {
  const [saved = ''] = await save(folder, part(`shop://${'漢'.repeat(500)}`));
  expect(saved).toMatch(/^漢+\.png$/u);
  await rm(join(folder, saved));
  const long = `${'a'.repeat(250)}.png`;
  expect(await save(join(folder, long), part('one'))).toEqual([long]);
});

test('parts that have the name of another get a number, also if a server counts itself', async () => {
  const saved = await save(folder, part('a'), part('a'), part('a-2'), part('a'), part('a-2'));
  expect(saved).toEqual(['a-2-2.png', 'a-2-3.png', 'a-2.png', 'a-3.png', 'a.png']);
});

test('a device is never replaced by a result, also with --force', async () => {
  const shell = { cwd: folder, signal: new AbortController().signal } as unknown as Shell;
  for (const force of [true, false])
    await expect(openOutputTarget({ out: '/dev/null', force }, shell)).rejects.toThrow(
      '--out /dev/null: expected a file or a folder',
    );
});

test('a file that appears while the call runs is replaced only with --force', async () => {
  const shell = { cwd: folder, signal: new AbortController().signal } as unknown as Shell;
  const out = join(folder, 'a.png');
  for (const [force, saved, kept] of [
    [false, ['a-2.png'], 'theirs'],
    [true, ['a.png'], '\0\0\0'],
  ] as const) {
    const target = await openOutputTarget({ out: force ? folder : out, force }, shell);
    await writeFile(out, 'theirs');
    expect(await target?.save([part('a')])).toEqual(saved.map((name) => join(folder, name)));
    expect(await readFile(out, 'utf8')).toBe(kept);
  }
});

test('a new folder is created for results, and for none is not', async () => {
  expect(await save(join(folder, 'new/'))).toEqual([]);
  expect(await save(join(folder, 'new/'), part('a'))).toEqual(['new']);
  expect(await readdir(join(folder, 'new'))).toEqual(['a.png']);
});

test('a file that exists is an error before the call, unless --force is given; so is a folder that does not exist', async () => {
  const shell = { cwd: folder, signal: new AbortController().signal } as unknown as Shell;
  const out = join(folder, 'a.png');
  await writeFile(out, 'theirs');
  await expect(openOutputTarget({ out }, shell)).rejects.toThrow('this file exists; pass --force');
  const target = await openOutputTarget({ out, force: true }, shell);
  expect(await target?.save([part('b')])).toEqual([out]);
  expect(await readFile(out, 'utf8')).toBe('\0\0\0');
  await expect(openOutputTarget({ out: 'none/a.png' }, shell)).rejects.toThrow(
    `folder not found (${join(folder, 'none')})`,
  );
  await expect(openOutputTarget({ out: 'a.png/b.png' }, shell)).rejects.toThrow(`folder not found (${out})`);
  await expect(openOutputTarget({ force: true }, shell)).rejects.toThrow('--force: this option requires --out');
  expect(await openOutputTarget({}, shell)).toBeUndefined();
});

test('a result that cannot be saved is an error, and leaves no temporary file', async () => {
  const name = `${'a'.repeat(251)}.png`;
  // The second one would get a number, and thereby more characters than a file system takes.
  await expect(save(join(folder, name), part('a'), part('b'))).rejects.toThrow('ENAMETOOLONG');
  expect(await readdir(folder)).toEqual([name]);
});
