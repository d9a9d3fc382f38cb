import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Clock, systemClock } from '../peer/clock.ts';
import { takeLock, whileLocked } from './file-lock.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-files-'));
  path = join(folder, 'file');
  const held = await takeLock(path);
  const { machine, boot } = JSON.parse(await readFile(`${path}.lock`, 'utf8')) as Record<string, string>; // written above
  await held.release();
  here = { machine, boot };
  ended = JSON.stringify({ pid: 2 ** 22 + 1, since: 1, id: 'x', ...here });
  alive = JSON.stringify({ pid: process.ppid, since: 1, id: 'x', ...here });
});
afterEach(() => rm(folder, { recursive: true }));

/** A clock that advances when code waits for it, and then runs `look` of the test. */
function passing(look: () => Promise<void> = async () => undefined): Clock {
  let now = 0;
  return {
    now: () => now,
    wall: () => now,
    after(ms, run) {
      now += ms;
      void look().then(run);
      return () => undefined;
    },
  };
}

/** The machine and its boot, as the lock of this process names them. */
let here: object;
let ended: string;
let alive: string;

describe('a lock on a file', () => {
  test('whileLocked() runs concurrent work one after the other', async () => {
    const seen: string[] = [];
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        whileLocked(path, { clock: systemClock, waitMs: 60_000 }, async () => {
          seen.push(name);
          await new Promise((resolve) => setTimeout(resolve, 0));
          seen.push(name);
        }),
      ),
    );
    expect(seen).toHaveLength(8);
    for (let at = 0; at < 8; at += 2) expect(seen[at]).toBe(seen[at + 1]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('whileLocked() releases the lock when the work fails', async () => {
    const failing = whileLocked(path, { clock: systemClock }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await readdir(folder)).toEqual([]);
  });

  test('whileLocked() waits for a living process, and names the lock when the wait is over', async () => {
    await writeFile(`${path}.lock`, alive);
    const clock = passing();
    const waiting = whileLocked(path, { clock, waitMs: 200 }, async () => 'ran');
    await expect(waiting).rejects.toThrow(
      `another process writes to it; if that process has ended, remove ${path}.lock`,
    );
    expect(clock.now()).toBeGreaterThanOrEqual(200);
    await expect(takeLock(path)).rejects.toThrow('another process writes to it');
    expect(await readFile(`${path}.lock`, 'utf8')).toBe(alive);
  });

  test('whileLocked() with staleMs breaks an unchanged lock of a living process', async () => {
    await writeFile(`${path}.lock`, alive);
    const clock = passing();
    await whileLocked(path, { clock, waitMs: 5_000, staleMs: 100 }, async () => undefined);
    expect(clock.now()).toBe(100);
  });

  test('a lock that changes hands does not count as stale', async () => {
    let turn = 0;
    await writeFile(`${path}.lock`, alive);
    const lock = `${path}.lock`;
    const clock = passing(() => writeFile(lock, alive.replace('"x"', `"${turn++}"`)));
    const waiting = whileLocked(path, { clock, waitMs: 200, staleMs: 50 }, async () => 'ran');
    await expect(waiting).rejects.toThrow('another process writes to it');
  });

  test('the lock of a process that has ended is taken over at once', async () => {
    await writeFile(`${path}.lock`, ended);
    const clock = passing();
    expect(await whileLocked(path, { clock }, async (held) => held.isHeld())).toBe(true);
    expect(clock.now()).toBe(0);
  });

  test('a lock that another process broke is reported as lost, and not removed', async () => {
    const held = await takeLock(path);
    await writeFile(`${path}.lock`, alive);
    expect(await held.isHeld()).toBe(false);
    await held.release();
    expect(await readFile(`${path}.lock`, 'utf8')).toBe(alive);
  });

  test('whileLocked() waits five seconds by default', async () => {
    await writeFile(`${path}.lock`, alive);
    const clock = passing();
    await expect(whileLocked(path, { clock }, async () => 'ran')).rejects.toThrow('another process writes to it');
    expect(clock.now()).toBe(5_000);
  });

  test('a lock excludes its own process, is private, and is free after its release', async () => {
    const held = await takeLock(path);
    expect((await stat(`${path}.lock`)).mode & 0o777).toBe(0o600);
    await expect(takeLock(path)).rejects.toThrow('another process writes to it');
    expect(await held.isHeld()).toBe(true);
    await held.release();
    await (await takeLock(path)).release();
    expect(await readdir(folder)).toEqual([]);
  });

  test('the lock of an ended process with the same process id is taken over', async () => {
    await writeFile(
      `${path}.lock`,
      JSON.stringify({ pid: process.pid, since: performance.timeOrigin - 1, id: 'x', ...here }),
    );
    expect(await (await takeLock(path)).isHeld()).toBe(true);
  });

  test('the lock of a process of another user is respected', async () => {
    await writeFile(`${path}.lock`, ended);
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('not yours'), { code: 'EPERM' });
    });
    await expect(takeLock(path)).rejects.toThrow('another process writes to it');
    kill.mockRestore();
  });

  test.each([
    '',
    'mine',
    'null',
    '7',
    '{}',
    '{"pid":1}',
    '{"since":1}',
    '{"pid":"4194305","since":1}',
    '{"pid":4194305}',
  ])('a file %j in the place of a lock counts as held, because it was not written by this code', async (text) => {
    await writeFile(`${path}.lock`, text);
    await expect(takeLock(path)).rejects.toThrow('another process writes to it');
    expect(await readFile(`${path}.lock`, 'utf8')).toBe(text);
  });

  test.each([process.pid, process.ppid, 2 ** 22 + 1])(
    'the lock of process %i of another machine or container is respected, because its process ids say nothing here',
    async (pid) => {
      const theirs = JSON.stringify({ pid, since: 1, id: 'x', ...here, machine: 'another' });
      await writeFile(`${path}.lock`, theirs);
      await expect(takeLock(path)).rejects.toThrow('another process writes to it');
      const clock = passing();
      await whileLocked(path, { clock, waitMs: 5_000, staleMs: 100 }, async () => undefined);
      expect(clock.now()).toBe(100);
    },
  );

  test('a file that is too large for a lock is not read', async () => {
    await writeFile(`${path}.lock`, ' '.repeat(4_097));
    await expect(takeLock(path)).rejects.toThrow('it is larger than 4096 bytes');
  });

  test.runIf(process.platform === 'linux')('a lock names the boot of the system', async () => {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    expect(here).toMatchObject({ boot: boot.trim() });
  });

  test('the lock of a process that ran before this machine was started again is taken over', async () => {
    await writeFile(`${path}.lock`, JSON.stringify({ pid: process.ppid, since: 1, id: 'x', ...here, boot: 'earlier' }));
    expect(await (await takeLock(path)).isHeld()).toBe(true);
  });

  test('a takeover by another process is respected, unless that process has ended too', async () => {
    await writeFile(`${path}.lock`, ended);
    await writeFile(`${path}.lock.breaking`, alive);
    await expect(takeLock(path)).rejects.toThrow('another process writes to it');
    expect(await readFile(`${path}.lock`, 'utf8')).toBe(ended);
    await writeFile(`${path}.lock.breaking`, ended);
    const held = await takeLock(path);
    expect([await held.isHeld(), await readdir(folder)]).toEqual([true, ['file.lock']]);
  });

  test('a lock in a missing folder fails with the reason', async () => {
    await expect(takeLock(join(folder, 'none', 'file'))).rejects.toThrow('ENOENT');
  });
});
