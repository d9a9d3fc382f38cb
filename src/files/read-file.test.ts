import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FileFault } from './file-fault.ts';
import { openRegularFile, readFileBytes, readFileBytesSync, readFileText } from './read-file.ts';

let folder: string;
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-files-'));
  execFileSync('mkfifo', [at('pipe')]);
  await mkdir(at('folder'));
  await writeFile(at('ten'), '0123456789');
  await writeFile(at('large'), 'x'.repeat(200_000));
  await symlink('ten', at('link'));
  await symlink('pipe', at('link-to-pipe'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Paths that are not regular files: reading them would block or never end. */
const endless = (): readonly string[] => [at('pipe'), at('link-to-pipe'), at('folder'), '/dev/zero', '/dev/tty'];

describe('reading a file', () => {
  test('readFileBytes() returns a file up to the limit, and rejects one that is a byte larger', async () => {
    expect((await readFileBytes(at('ten'), { maxBytes: 10 }))?.toString()).toBe('0123456789');
    expect(await readFileText(at('large'), { maxBytes: 200_000 })).toHaveLength(200_000);
    await expect(readFileBytes(at('ten'), { maxBytes: 9 })).rejects.toThrow('ten cannot be used: it is larger than 9');
    await expect(readFileText(at('large'), { maxBytes: 199_999 })).rejects.toBeInstanceOf(FileFault);
  });

  test('readFileBytes() reads a file whose reported size is 0', async () => {
    expect(await readFileText('/proc/self/status', { maxBytes: 65_536 })).toContain('Pid:');
    await expect(readFileText('/proc/self/status', { maxBytes: 20 })).rejects.toThrow('larger than 20');
  });

  test('readFileBytes() rejects pipes, devices and folders at once', async () => {
    for (const path of endless()) {
      await expect(readFileBytes(path, { maxBytes: 10 }), path).rejects.toBeInstanceOf(FileFault);
      await expect(openRegularFile(path), path).rejects.toBeInstanceOf(FileFault);
      expect(() => readFileBytesSync(path, { maxBytes: 10 }), path).toThrow(FileFault);
    }
    await expect(readFileBytes(at('pipe'), { maxBytes: 10 })).rejects.toThrow('it is not a regular file');
  });

  test('readFileBytes() returns undefined for a missing file, and throws for an unreadable one', async () => {
    expect(await readFileText(at('none'), { maxBytes: 10 })).toBeUndefined();
    expect(readFileBytesSync(at('none'), { maxBytes: 10 })).toBeUndefined();
    await expect(readFileText(join(at('ten'), 'below'), { maxBytes: 10 })).rejects.toMatchObject({
      path: join(at('ten'), 'below'),
      why: 'the system reports ENOTDIR',
    });
  });

  test('readFileBytes() follows a link unless noLinks is set', async () => {
    expect(await readFileText(at('link'), { maxBytes: 10 })).toBe('0123456789');
    await expect(readFileText(at('link'), { maxBytes: 10, noLinks: true })).rejects.toThrow('symbolic link');
    expect(await readFileText(at('ten'), { maxBytes: 10, noLinks: true })).toBe('0123456789');
  });

  test('readFileBytes() calls check with the open file before it reads', async () => {
    const sizes: number[] = [];
    const check = ({ size }: { readonly size: number }): void => {
      sizes.push(size);
      throw new FileFault(at('ten'), 'not this one');
    };
    await expect(readFileText(at('ten'), { maxBytes: 10, check })).rejects.toThrow('not this one');
    expect(sizes).toEqual([10]);
  });

  test('readFileBytesSync() reads the same', () => {
    expect(readFileBytesSync(at('ten'), { maxBytes: 10 })?.toString()).toBe('0123456789');
    expect(() => readFileBytesSync(at('ten'), { maxBytes: 9 })).toThrow('it is larger than 9 bytes');
  });
});
