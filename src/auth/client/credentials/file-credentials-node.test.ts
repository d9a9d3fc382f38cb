/** Credentials in a real file: permissions, concurrent writers, and files that are not overwritten. */
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eagerClock } from '../../../../test/support/held-clock.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { fileCredentials } from './file-credentials.ts';
import { changeCredentials } from './file-credentials-node.ts';
import { type Registration, TokenStore } from './token-store.ts';

const key = new Uint8Array(32).fill(1);
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-'));
  path = join(folder, 'deep', 'down', 'credentials');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);
const kept = (prefix: string): string[] => Array.from({ length: 20 }, (_, n) => `${prefix}${n}`);

describe('a file of credentials', () => {
  test('keeps what was written for the next process, until it is removed', async () => {
    const store = fileCredentials(path, { key });
    expect(await store.read('a')).toBeUndefined();
    expect(existsSync(dirname(path))).toBe(false);
    await store.write('a', 'first');
    await store.write('a', 'Grüße 🙂');
    await store.write('__proto__', 'b');
    const next = fileCredentials(path, { key });
    expect([await next.read('a'), await next.read('__proto__'), await next.read('c')]).toEqual([
      'Grüße 🙂',
      'b',
      undefined,
    ]);
    await next.remove('a');
    await next.remove('never there');
    expect([await store.read('a'), await store.read('__proto__')]).toEqual([undefined, 'b']);
    expect(await readdir(dirname(path))).toEqual(['credentials']);
  });

  test('a credentials file is encrypted, and only its owner can read it or list its folder', async () => {
    verifies('AUTH-096', 'AUTH-102');
    await fileCredentials(path, { key }).write('https://auth.example', 'refresh-token');
    const folders = [dirname(path), join(folder, 'deep')];
    expect(await Promise.all([path, ...folders].map(modeOf))).toEqual(['600', '700', '700']);
    expect(await readFile(path, 'latin1')).not.toMatch(/refresh-token|auth\.example/);
  });

  test.each([
    ['another key', async () => undefined, new Uint8Array(32).fill(2), 'it was encrypted with another key, or changed'],
    [
      'half of it',
      async (file: string) => writeFile(file, (await readFile(file)).subarray(0, 50)),
      key,
      'not a complete credentials file',
    ],
    ['nothing in it', (file: string) => writeFile(file, ''), key, 'it is not a complete credentials file'],
    [
      'something else in it',
      (file: string) => writeFile(file, '{"token":"x"}'),
      key,
      'it is not a complete credentials file',
    ],
  ])('with %s is neither read nor overwritten', async (_, spoil, other, why) => {
    await fileCredentials(path, { key }).write('a', '1');
    await spoil(path);
    const before = await readFile(path);
    const store = fileCredentials(path, { key: other });
    for (const attempt of [store.read('a'), store.write('a', '2'), store.remove('a')]) {
      await expect(attempt).rejects.toMatchObject({ code: 'MCP_AUTH_STORE', message: expect.stringContaining(why) });
    }
    expect(await readFile(path)).toEqual(before);
    expect(await readdir(dirname(path))).toEqual(['credentials']);
  });
});

test('after a wrong passphrase, fileCredentials() asks for the key again', async () => {
  await fileCredentials(path, { key: 'the right passphrase' }).write('a', '1');
  const typed = ['the wrong passphrase', 'another wrong passphrase', 'the right passphrase'];
  const store = fileCredentials(path, { key: () => typed.shift() ?? '' });
  await expect(store.read('a')).rejects.toThrow('it was encrypted with another key');
  await expect(store.write('b', '2')).rejects.toThrow('it was encrypted with another key');
  await store.write('b', '2');
  expect([await store.read('a'), await store.read('b'), typed]).toEqual(['1', '2', []]);
});

describe.skipIf(process.platform === 'win32')('a file that is not private', () => {
  test.each([0o644, 0o660, 0o604, 0o610])('because of its mode %o is refused', async (mode) => {
    verifies('AUTH-096', 'AUTH-102');
    const store = fileCredentials(path, { key });
    await store.write('a', '1');
    await chmod(path, mode);
    const why = `${path} cannot be used: other users can access it (mode ${mode.toString(8)}); run: chmod 600 on it`;
    await expect(store.read('a')).rejects.toThrow(why);
    await expect(store.write('a', '2')).rejects.toThrow(why);
    await chmod(path, 0o600);
    expect(await store.read('a')).toBe('1');
  });

  test('because of its folder is refused, and not made', async () => {
    const store = fileCredentials(path, { key });
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await chmod(dirname(path), 0o755);
    const why = `${dirname(path)} cannot be used: other users can access it (mode 755); run: chmod 700 on it`;
    await expect(store.write('a', '1')).rejects.toThrow(why);
    expect(await readdir(dirname(path))).toEqual([]);
    await chmod(dirname(path), 0o700);
    await store.write('a', '1');
    await chmod(dirname(path), 0o750);
    await expect(store.read('a')).rejects.toThrow('mode 750');
  });

  test('a credentials file of another user is rejected', async () => {
    const us = process.getuid?.() ?? 0;
    // Only root can change owners; other users try a file of root.
    const theirs = us === 0 ? path : '/etc/passwd';
    if (us === 0) {
      await fileCredentials(path, { key }).write('a', '1');
      await chown(path, 12_345, 12_345);
    }
    await expect(fileCredentials(theirs, { key }).read('a')).rejects.toThrow(
      `${theirs} cannot be used: it belongs to user ${us === 0 ? 12_345 : 0}, and this process runs as ${us}`,
    );
  });

  test('because it is a link to another, or no file at all, is refused', async () => {
    const store = fileCredentials(path, { key });
    await store.write('a', '1');
    const link = join(dirname(path), 'link');
    await symlink(path, link);
    await expect(fileCredentials(link, { key }).read('a')).rejects.toThrow('it is a symbolic link');
    await expect(fileCredentials(link, { key }).write('a', '2')).rejects.toThrow('it is a symbolic link');
    await expect(fileCredentials(dirname(path), { key }).read('a')).rejects.toThrow('it is not a regular file');
    expect(await store.read('a')).toBe('1');
  });
});

describe('many who write at once', () => {
  test('lose nothing within one store, nor between two of one process', async () => {
    const [one, two] = [fileCredentials(path, { key }), fileCredentials(path, { key })];
    const writes = kept('x').flatMap((name) => [one.write(name, name), two.write(`two ${name}`, name)]);
    await Promise.all(writes);
    const next = fileCredentials(path, { key });
    expect(await Promise.all(kept('x').map((name) => next.read(name)))).toEqual(kept('x'));
    expect(await Promise.all(kept('two x').map((name) => next.read(name)))).toEqual(kept('x'));
    expect(await readdir(dirname(path))).toEqual(['credentials']);
  });

  test('lose no registration with the same authorization server', async () => {
    const registration = (id: string): Registration => ({ id, redirectUris: [] });
    const ids = ['a', 'b', 'c', 'd'];
    await Promise.all(
      ids.map((id) => new TokenStore(fileCredentials(path, { key })).saveRegistration('https://as', registration(id))),
    );
    const stored = await new TokenStore(fileCredentials(path, { key })).registrations('https://as');
    expect(stored.map(({ id }) => id).toSorted()).toEqual(ids);
    expect(await readdir(dirname(path))).toEqual(['credentials']);
  });

  test('are not held up by one that failed', async () => {
    const store = fileCredentials(path, { key });
    await store.write('a', '1');
    await chmod(path, 0o644);
    const failed = store.write('b', '2');
    await expect(failed).rejects.toMatchObject({ code: 'MCP_AUTH_STORE' });
    await chmod(path, 0o600);
    await store.write('c', '3');
    expect([await store.read('a'), await store.read('b'), await store.read('c')]).toEqual(['1', undefined, '3']);
  });
});

describe('a lock', () => {
  test('a lock of another process is waited for', async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.lock`, 'theirs');
    let seen = '';
    const clock = eagerClock(async (looks) => {
      if (looks < 20) return;
      seen = String(existsSync(path));
      await rm(`${path}.lock`);
    });
    await fileCredentials(path, { key, clock }).write('a', '1');
    expect([seen, await fileCredentials(path, { key }).read('a')]).toEqual(['false', '1']);
  });

  test('that its holder left behind is broken after ten seconds', async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.lock`, '');
    const clock = eagerClock();
    await fileCredentials(path, { key, clock }).write('a', '1');
    expect(clock.now()).toBeGreaterThanOrEqual(10_000);
    expect(clock.now()).toBeLessThan(11_000);
    expect(await readdir(dirname(path))).toEqual(['credentials']);
  });

  test('a lock that was left while being broken is named too', async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    for (const name of ['lock', 'lock.breaking']) await writeFile(`${path}.${name}`, 'theirs');
    await expect(fileCredentials(path, { key, clock: eagerClock() }).write('a', '1')).rejects.toThrow(
      `remove ${path}.lock and what begins like it`,
    );
  });

  test('that was lost while its holder stood still makes it begin again', async () => {
    const file = join(folder, 'credentials');
    const found: (string | undefined)[] = [];
    await changeCredentials(file, eagerClock(), async (text) => {
      // Meanwhile another process broke the lock, and wrote something.
      if (found.length === 0) {
        await writeFile(`${file}.lock`, 'theirs');
        await writeFile(file, 'of theirs', { mode: 0o600 });
      }
      found.push(text);
      return 'ours';
    });
    expect(found).toEqual([undefined, 'of theirs']);
    expect([await readdir(folder), await readFile(file, 'utf8')]).toEqual([['credentials'], 'ours']);
  });
});
