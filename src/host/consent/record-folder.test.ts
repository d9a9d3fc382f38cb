/** Tests that records stay inside their folder, are written atomically, and are private. */
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RecordFolder } from './record-folder.ts';

let around: string;
let path: string;
let records: RecordFolder;

beforeEach(async () => {
  around = await mkdtemp(join(tmpdir(), 'mooring-records-'));
  path = join(around, 'records');
  records = new RecordFolder(path);
});
afterEach(() => rm(around, { recursive: true }));

const fileError = (why: string): object => ({ code: 'MCP_HOST_FILE', message: expect.stringContaining(why) });

describe('an invalid name of a record', () => {
  const long = 'a'.repeat(101);
  test.each(['../outside', 'a/outside', '..', '', 'a b', 'a.b.c', 'a.B', '\0', '\na', 'a\n', long])(
    'leads nowhere: %j',
    async (name) => {
      await writeFile(join(around, 'outside.json'), '"secret"');
      await records.create('a', 1);
      expect(await records.read(name)).toBeUndefined();
      expect(await records.move(name, 'b')).toBe(false);
      expect(await records.remove(name)).toBe(false);
      const wrong = { code: 'MCP_BAD_DEFINITION', message: expect.stringContaining('The id of a record') };
      await expect(records.create(name, 2)).rejects.toMatchObject(wrong);
      await expect(records.replace(name, 2)).rejects.toMatchObject(wrong);
      await expect(records.move('a', name)).rejects.toMatchObject(wrong);
      expect(await readFile(join(around, 'outside.json'), 'utf8')).toBe('"secret"');
      expect(await readdir(path)).toEqual(['a.json']);
    },
  );
});

test('create() succeeds once per name, and replace() always', async () => {
  expect(await records.create('a'.repeat(100), 1)).toBe(true);
  expect(await records.create('a'.repeat(100), 2)).toBe(false);
  expect(await records.read('a'.repeat(100))).toBe(1);
  await records.replace('b.kind', 3);
  await records.replace('b.kind', 4);
  // No temporary file is left when the record is written.
  expect(readdirSync(path)).toEqual([`${'a'.repeat(100)}.json`, 'b.kind.json']);
  expect(await records.read('b.kind')).toBe(4);
  expect(await readdir(path)).toEqual([`${'a'.repeat(100)}.json`, 'b.kind.json']);
  expect((await stat(join(path, 'b.kind.json'))).mode & 0o777).toBe(0o600);
});

test('a record that is missing or damaged is undefined', async () => {
  expect(await records.read('a')).toBeUndefined();
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  await writeFile(join(path, 'a.json'), '{');
  expect(await records.read('a')).toBeUndefined();
});

test('a record of more than 16 MiB is an error', async () => {
  await records.create('a', 1);
  const most = `"${'x'.repeat(16 * 1024 * 1024 - 2)}"`;
  await writeFile(join(path, 'a.json'), most);
  expect(await records.read('a')).toHaveLength(most.length - 2);
  await writeFile(join(path, 'a.json'), `${most} `);
  await expect(records.read('a')).rejects.toMatchObject(fileError('larger than 16777216 bytes'));
});

test.runIf(process.platform === 'linux')('list() reads thousands of records with few open files', async () => {
  const isRecord = (value: unknown): value is { readonly id: string } => typeof value === 'object';
  await records.create('first', {});
  const names = Array.from({ length: 2_000 }, (_, i) => `r${i}`);
  for (const id of names) writeFileSync(join(path, `${id}.kind.json`), JSON.stringify({ id }));
  // Those of this folder only, because other tests of this process open files too.
  const isOpenHere = (file: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`).startsWith(path);
    } catch {
      return false; // closed since it was listed
    }
  };
  const openFiles = (): number => readdirSync('/proc/self/fd').filter(isOpenHere).length;
  let [most, isListing] = [0, true];
  const watch = (): void => {
    most = Math.max(most, openFiles());
    if (isListing) setImmediate(watch);
  };
  watch();
  const listed = await records.list('kind', isRecord);
  isListing = false;
  expect(listed.map(({ id }) => id).toSorted()).toEqual(names.toSorted());
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(100);
});

test('of two moves or removals of one record, one succeeds', async () => {
  await records.create('a', 1);
  expect([await records.move('a', 'b'), await records.move('a', 'c')]).toEqual([true, false]);
  expect([await records.remove('b'), await records.remove('b')]).toEqual([true, false]);
});

test('move() throws for errors other than a missing record', async () => {
  await records.create('a', 1);
  await mkdir(join(path, 'b.json'));
  await expect(records.move('a', 'b')).rejects.toMatchObject(fileError(path));
  expect(await records.read('a')).toBe(1);
});

test('a folder that other users can access is an error until it is private', async () => {
  await mkdir(path);
  await writeFile(join(path, 'a.json'), '1');
  await writeFile(join(path, 'fingerprint.key'), new Uint8Array(32), { mode: 0o600 });
  await chmod(path, 0o755);
  const open = fileError('other users can access it (mode 755)');
  await expect(records.read('a')).rejects.toMatchObject(open);
  await expect(records.key()).rejects.toMatchObject(open);
  await expect(records.names('kind')).rejects.toMatchObject(open);
  await expect(records.create('b', 1)).rejects.toMatchObject(open);
  await chmod(path, 0o700);
  expect(await records.read('a')).toBe(1);
});

describe('the key of a folder', () => {
  const keyFile = (): string => join(path, 'fingerprint.key');

  test('is created once', async () => {
    const key = await records.key();
    expect(key).toHaveLength(32);
    expect(await records.key()).toEqual(key);
    expect(await new RecordFolder(path).key()).toEqual(key);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  });

  test('is an error where other users can read it', async () => {
    await records.key();
    await chmod(keyFile(), 0o644);
    await expect(records.key()).rejects.toMatchObject(fileError('other users can access it (mode 644)'));
  });

  test('is an error where it is a link', async () => {
    await records.key();
    await writeFile(join(around, 'elsewhere'), new Uint8Array(32), { mode: 0o600 });
    await rm(keyFile());
    await symlink(join(around, 'elsewhere'), keyFile());
    await expect(records.key()).rejects.toMatchObject(fileError('symbolic link'));
  });

  test('is an error where it is shorter or longer than a key', async () => {
    await records.key();
    await writeFile(keyFile(), new Uint8Array(31));
    await expect(records.key()).rejects.toMatchObject(fileError('it must hold 32 bytes; remove it'));
    await writeFile(keyFile(), new Uint8Array(33));
    await expect(records.key()).rejects.toMatchObject(fileError('larger than 32 bytes'));
  });
});
