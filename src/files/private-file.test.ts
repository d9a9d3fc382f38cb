import type { Stats } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checkPrivate, checkPrivateFolder, makePrivateFolder, PRIVATE_FILE } from './private-file.ts';

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-private-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

test('makePrivateFolder() creates folders that only their owner can enter, and keeps one that exists', async () => {
  await makePrivateFolder(at('outer/inner'));
  expect([(await stat(at('outer'))).mode & 0o777, (await stat(at('outer/inner'))).mode & 0o777]).toEqual([
    0o700, 0o700,
  ]);
  await writeFile(at('outer/inner/a'), 'x');
  await makePrivateFolder(at('outer/inner'));
  expect((await stat(at('outer/inner/a'))).size).toBe(1);
});

test.each([0o701, 0o702, 0o704, 0o710, 0o720, 0o740, 0o777])(
  'a folder with the mode %i is rejected with the chmod command to run',
  async (mode) => {
    await mkdir(at('open'));
    await chmod(at('open'), mode);
    const why = `other users can access it (mode ${mode.toString(8)}); run: chmod 700 on it`;
    await expect(makePrivateFolder(at('open'))).rejects.toThrow(why);
    await expect(checkPrivateFolder(at('open'))).rejects.toThrow(why);
  },
);

test('a folder that cannot be created or does not exist is named in the error', async () => {
  await writeFile(at('file'), '');
  await expect(makePrivateFolder(at('file/inner'))).rejects.toThrow(at('file/inner'));
  await chmod(at('file'), 0o600);
  await expect(makePrivateFolder(at('file'))).rejects.toThrow('EEXIST');
  await expect(checkPrivateFolder(at('none'))).rejects.toThrow(at('none'));
});

test('a file of another user is rejected, even if it is private', () => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000);
  const check = (uid: number, mode: number) => () => checkPrivate('/a', { uid, mode } as Stats, 0o600); // the members that it reads
  expect(check(1000, 0o100_600)).not.toThrow();
  expect(check(1001, 0o100_600)).toThrow('it belongs to user 1001, and this process runs as 1000');
  expect(check(0, 0o100_600)).toThrow('it belongs to user 0, and this process runs as 1000');
  expect(check(1000, 0o100_644)).toThrow('other users can access it (mode 644); run: chmod 600 on it');
});

test('owners and modes are not checked on Windows', () => {
  const { getuid } = process;
  Object.assign(process, { getuid: undefined });
  try {
    expect(() => checkPrivate('/a', { uid: 0, mode: 0o100_666 } as Stats, 0o600)).not.toThrow(); // the members that it reads
  } finally {
    Object.assign(process, { getuid });
  }
});

test('a file that is created as private can be read and written by its owner alone', async () => {
  await writeFile(at('own'), 'x', { mode: PRIVATE_FILE });
  expect((await stat(at('own'))).mode & 0o777).toBe(0o600);
});
