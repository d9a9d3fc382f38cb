/** Credentials in a real file: who may read it, who may write it at once, and what is not overwritten. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileCredentials } from '../../src/auth/client/credentials/file-credentials.ts';
import { changeCredentials } from '../../src/auth/client/credentials/file-credentials-node.ts';
import { type Registration, TokenStore } from '../../src/auth/client/credentials/token-store.ts';
import type { Clock } from '../../src/peer/clock.ts';
import { eventually } from '../support/children.ts';
import { verifies } from '../support/verifies.ts';

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

function start(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['.cache/fixtures/pieces.mjs', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Time that passes by being waited for; each time, something else may happen. */
function looking(look: (looks: number) => Promise<void> = async () => undefined): Clock {
  let [looks, now] = [0, 0];
  return {
    now: () => now,
    wall: () => now,
    after(ms, run) {
      now += ms;
      void look(++looks).then(run);
      return () => undefined;
    },
  };
}

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

  test('is for its owner only, and says nothing without the key', async () => {
    verifies('AUTH-096', 'AUTH-102');
    const before = process.umask(0);
    try {
      await fileCredentials(path, { key }).write('https://auth.example', 'refresh-token');
    } finally {
      process.umask(before);
    }
    expect([await modeOf(path), await modeOf(dirname(path)), await modeOf(join(folder, 'deep'))]).toEqual([
      '600',
      '700',
      '700',
    ]);
    const text = await readFile(path, 'latin1');
    expect(text).not.toMatch(/refresh-token|auth\.example/);
  });

  test('is opened with a passphrase, which may come from elsewhere and is asked for once', async () => {
    let asked = 0;
    const store = fileCredentials(path, {
      key: async () => {
        if (++asked === 1) throw new Error('the keychain is locked');
        return 'correct horse battery staple';
      },
    });
    await expect(store.write('a', '1')).rejects.toThrow('the keychain is locked');
    await store.write('a', '1');
    await store.write('b', '2');
    expect([await store.read('a'), asked]).toEqual(['1', 2]);
    const next = fileCredentials(path, { key: 'correct horse battery staple' });
    expect(await next.read('b')).toBe('2');
    await expect(fileCredentials(path, { key: async () => 'too short' }).read('a')).rejects.toThrow('at least 16');
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
    // Only root can change owners; every other user finds files of root.
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

test('a credentials file that is full keeps what it has, and is still read', async () => {
  const store = fileCredentials(path, { key });
  await store.write('a', '1');
  await expect(store.write('b', 'x'.repeat(13 * 1024 * 1024))).rejects.toThrow(
    'it would be larger than 16777216 bytes',
  );
  await store.write('c', '3');
  const next = fileCredentials(path, { key });
  expect(await Promise.all(['a', 'b', 'c'].map((name) => next.read(name)))).toEqual(['1', undefined, '3']);
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

  test('lose nothing between processes', async () => {
    const writers = ['a', 'b', 'c'].map((prefix) => start('keep', path, prefix));
    expect(await Promise.all(writers.map(async (child) => (await once(child, 'exit'))[0]))).toEqual([0, 0, 0]);
    const store = fileCredentials(path, { key });
    for (const prefix of ['a', 'b', 'c']) {
      const values = await Promise.all(kept(prefix).map((name) => store.read(name)));
      expect(values).toEqual(Array.from({ length: 20 }, (_, n) => `value ${n}`));
    }
    expect(await readdir(dirname(path))).toEqual(['credentials']);
  });

  test('find a whole file when one of them is killed, and get on without it', async () => {
    const store = fileCredentials(path, { key, clock: looking() });
    for (let round = 0; round < 5; round++) {
      const child = start('forever', path);
      let seen = '';
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        seen += chunk;
      });
      await eventually('something is written', () => seen.includes(`${5 + round}\n`));
      child.kill('SIGKILL');
      await once(child, 'close');
      const last = Number(seen.trim().split('\n').at(-1));
      expect(Number(await store.read('count'))).toBeGreaterThanOrEqual(last);
      await store.write(`round ${round}`, 'over');
      expect(await store.read(`round ${round}`)).toBe('over');
    }
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
    const clock = looking(async (looks) => {
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
    const clock = looking();
    await fileCredentials(path, { key, clock }).write('a', '1');
    expect(clock.now()).toBeGreaterThanOrEqual(10_000);
    expect(clock.now()).toBeLessThan(11_000);
    expect(await readdir(dirname(path))).toEqual(['credentials']);
  });

  test('that goes from hand to hand without end is given up, and named', async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.lock`, '0');
    const clock = looking((looks) => writeFile(`${path}.lock`, String(looks)));
    await expect(fileCredentials(path, { key, clock }).write('a', '1')).rejects.toThrow(
      `The credentials in ${path} cannot be used: another process writes to it; if that process has ended, remove ${path}.lock`,
    );
    expect(await readdir(dirname(path))).toEqual(['credentials.lock']);
  });

  test('a lock that was left while being broken is named too', async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    for (const name of ['lock', 'lock.breaking']) await writeFile(`${path}.${name}`, 'theirs');
    await expect(fileCredentials(path, { key, clock: looking() }).write('a', '1')).rejects.toThrow(
      `remove ${path}.lock and what begins like it`,
    );
  });

  test('that was lost while its holder stood still makes it begin again', async () => {
    const file = join(folder, 'credentials');
    const found: (string | undefined)[] = [];
    await changeCredentials(file, looking(), async (text) => {
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
