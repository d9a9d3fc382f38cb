import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FileFault } from './file-fault.ts';
import { followLinks, replaceFile } from './replace-file.ts';

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-files-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** The prototype of all file handles. */
async function handlePrototype(): Promise<FileHandle> {
  const handle = await open(folder);
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle; // it has the methods of one
}

describe('replacing a file', () => {
  test('replaceFile() creates a file with the given mode, and leaves no temporary file', async () => {
    expect(await replaceFile(at('a'), 'one', { mode: 0o600 })).toBe(true);
    expect([await readFile(at('a'), 'utf8'), (await stat(at('a'))).mode & 0o777]).toEqual(['one', 0o600]);
    expect(await readdir(folder)).toEqual(['a']);
    await replaceFile(at('shared'), 'one', { mode: 0o666 });
    expect((await stat(at('shared'))).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test('replaceFile() keeps the mode and the owner of an existing file', async () => {
    await writeFile(at('a'), 'one');
    await chmod(at('a'), 0o664);
    // Only root can change the owner of a file.
    if (process.getuid?.() === 0) await chown(at('a'), 1234, 2345);
    const { uid, gid, mode } = await stat(at('a'));
    await replaceFile(at('a'), 'two', { mode: 0o600 });
    expect(await stat(at('a'))).toMatchObject({ uid, gid, mode });
    expect(await readFile(at('a'), 'utf8')).toBe('two');
  });

  test('replaceFile() replaces the target of a chain of links, and keeps the links', async () => {
    await mkdir(at('real'));
    await writeFile(at('real/a'), 'one');
    await symlink('real/a', at('first'));
    await symlink(at('first'), at('second'));
    await replaceFile(at('second'), 'two', { mode: 0o600 });
    expect([await readlink(at('second')), await readlink(at('first'))]).toEqual([at('first'), 'real/a']);
    expect((await lstat(at('real/a'))).isFile()).toBe(true);
    expect(await readFile(at('real/a'), 'utf8')).toBe('two');
  });

  test('replaceFile() creates the target of a dangling link, and keeps the link', async () => {
    await mkdir(at('real'));
    await symlink('real/a', at('link'));
    await replaceFile(at('link'), 'one', { mode: 0o600 });
    expect([await readlink(at('link')), await readFile(at('real/a'), 'utf8')]).toEqual(['real/a', 'one']);
  });

  test('replaceFile() rejects links that form a circle', async () => {
    await symlink('b', at('a'));
    await symlink('a', at('b'));
    await expect(followLinks(at('a'))).rejects.toThrow('too many symbolic links');
  });

  test('replaceFile() changes nothing when isAllowed returns false, or when it fails', async () => {
    await writeFile(at('a'), 'one');
    expect(await replaceFile(at('a'), 'two', { mode: 0o600, isAllowed: async () => false })).toBe(false);
    const failing = async (): Promise<boolean> => Promise.reject(new Error('gone'));
    await expect(replaceFile(at('a'), 'two', { mode: 0o600, isAllowed: failing })).rejects.toBeInstanceOf(FileFault);
    expect([await readFile(at('a'), 'utf8'), await readdir(folder)]).toEqual(['one', ['a']]);
  });

  test('replaceFile() leaves a file as it is when its new content is larger than its readers accept', async () => {
    await writeFile(at('a'), 'one');
    await expect(replaceFile(at('a'), 'tw\u00f6', { mode: 0o600, maxBytes: 3 })).rejects.toThrow(
      'it would be larger than 3 bytes, and is left as it is',
    );
    expect([await readFile(at('a'), 'utf8'), await readdir(folder)]).toEqual(['one', ['a']]);
    expect(await replaceFile(at('a'), 'tw\u00f6', { mode: 0o600, maxBytes: 4 })).toBe(true);
  });

  test('replaceFile() rejects everything but regular files', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    await mkdir(at('folder'));
    for (const name of ['pipe', 'folder'])
      await expect(replaceFile(at(name), 'x', { mode: 0o600 })).rejects.toThrow('it is not a regular file');
    await expect(replaceFile(at('none/a'), 'x', { mode: 0o600 })).rejects.toThrow(
      'the file or its folder does not exist (ENOENT)',
    );
  });

  test('replaceFile() follows up to 39 links', async () => {
    await writeFile(at('0'), 'one');
    for (let n = 1; n <= 40; n++) await symlink(String(n - 1), at(String(n)));
    expect(await followLinks(at('39'))).toBe(at('0'));
    await expect(followLinks(at('40'))).rejects.toThrow('too many symbolic links');
  });

  test('replaceFile() syncs the content before it renames, and the folder before it returns', async () => {
    const [synced, proto] = [[] as string[], await handlePrototype()];
    vi.spyOn(proto, 'sync').mockImplementation(async () => {
      synced.push((await readdir(folder)).map((name) => name.replace(/\..*(?=\.tmp$)/, '')).join());
    });
    await replaceFile(at('a'), 'one', { mode: 0o600 });
    expect(synced).toEqual(['a.tmp', 'a']);
  });

  test('replaceFile() keeps the temporary file private until it has its owner', async () => {
    await writeFile(at('a'), 'one');
    await chmod(at('a'), 0o644);
    const modes: number[] = [];
    vi.spyOn(await handlePrototype(), 'chmod').mockImplementation(async function (this: FileHandle) {
      modes.push((await this.stat()).mode & 0o777);
    });
    await replaceFile(at('a'), 'two', { mode: 0o600 });
    expect(modes).toEqual([0o600]);
  });

  test.each([
    [1, 0],
    [0, 1],
  ])('replaceFile() replaces nothing if it cannot keep the owner or the group: %j, %j', async (u, g) => {
    await writeFile(at('a'), 'one');
    const proto = await handlePrototype();
    const { uid, gid } = await stat(at('a'));
    vi.spyOn(proto, 'stat').mockResolvedValue({ uid: uid + u, gid: gid + g } as never); // the members that it reads
    vi.spyOn(proto, 'chown').mockRejectedValue(Object.assign(new Error('no'), { code: 'EPERM' }));
    const why = `it belongs to user ${uid} and group ${gid}, and this process cannot keep that`;
    await expect(replaceFile(at('a'), 'two', { mode: 0o600 })).rejects.toThrow(why);
    expect([await readFile(at('a'), 'utf8'), await readdir(folder)]).toEqual(['one', ['a']]);
  });
});
