/** Credentials in a file that processes share, or that opens slowly. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileCredentials } from '../../src/auth/client/credentials/file-credentials.ts';
import { eventually } from '../support/children.ts';
import { eagerClock } from '../support/held-clock.ts';
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

test('a credentials file is private whatever the umask of the process', async () => {
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
});

test('a credentials file is opened with a passphrase, which may come from elsewhere and is asked for once', async () => {
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

test('processes that write credentials at once lose nothing', async () => {
  const writers = ['a', 'b', 'c'].map((prefix) => start('keep', path, prefix));
  expect(await Promise.all(writers.map(async (child) => (await once(child, 'exit'))[0]))).toEqual([0, 0, 0]);
  const store = fileCredentials(path, { key });
  for (const prefix of ['a', 'b', 'c']) {
    const values = await Promise.all(kept(prefix).map((name) => store.read(name)));
    expect(values).toEqual(Array.from({ length: 20 }, (_, n) => `value ${n}`));
  }
  expect(await readdir(dirname(path))).toEqual(['credentials']);
});

test('the credentials file is whole when a process that writes it is killed, and the others continue', async () => {
  const store = fileCredentials(path, { key, clock: eagerClock() });
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

test('a lock that goes from hand to hand without end is given up, and named', async () => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.lock`, '0');
  const clock = eagerClock((looks) => writeFile(`${path}.lock`, String(looks)));
  await expect(fileCredentials(path, { key, clock }).write('a', '1')).rejects.toThrow(
    `The credentials in ${path} cannot be used: another process writes to it; if that process has ended, remove ${path}.lock`,
  );
  expect(await readdir(dirname(path))).toEqual(['credentials.lock']);
});
