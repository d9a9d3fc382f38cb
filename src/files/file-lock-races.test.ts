/** Two processes that take or release one lock at the same moment, with every step of one between two steps of the other. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { settled } from '../../test/support/held-clock.ts';
import { soon } from '../../test/support/soon.ts';
import type { Clock } from '../peer/clock.ts';
import { type HeldLock, takeLock, whileLocked } from './file-lock.ts';

const hooks = vi.hoisted(() => ({ beforeRemoval: async (_path: string): Promise<void> => undefined }));
vi.mock('node:fs/promises', async (load) => {
  const fs = await load<typeof import('node:fs/promises')>();
  const rm: typeof fs.rm = async (path, options) => {
    await hooks.beforeRemoval(String(path));
    return fs.rm(path, options);
  };
  return { ...fs, rm };
});

let path: string;
let ended: string;

beforeEach(async () => {
  hooks.beforeRemoval = async () => undefined;
  path = join(await mkdtemp(join(tmpdir(), 'mooring-locks-')), 'file');
  const held = await takeLock(path);
  const mine = JSON.parse(await readFile(`${path}.lock`, 'utf8')) as object;
  await held.release();
  ended = JSON.stringify({ ...mine, pid: 2 ** 22 + 1 });
});

afterEach(() => rm(dirname(path), { recursive: true }));

/** Every wait takes the time that it names at once, after the steps that are under way. */
function eager(onWait: () => void): Clock {
  let now = 0;
  return {
    now: () => now,
    wall: () => now,
    after(ms, run) {
      now += ms;
      onWait();
      void settled().then(run);
      return () => undefined;
    },
  };
}

test('a release never removes the lock of a process that broke this one meanwhile', async () => {
  const held = await takeLock(path);
  let other: Promise<boolean> | undefined;
  let stop: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    stop = resolve;
  });
  hooks.beforeRemoval = async (removed) => {
    if (removed !== `${path}.lock` || other !== undefined) return;
    // The other process has the lock now, or it waits for this one.
    await new Promise<void>((resolve) => {
      let waits = 0;
      const clock = eager(() => ++waits > 3 && resolve());
      other = whileLocked(path, { clock, waitMs: 1_000_000, staleMs: 0 }, async (theirs) => {
        resolve();
        await over;
        return theirs.isHeld();
      });
    });
  };
  await held.release();
  stop();
  expect(await other).toBe(true);
});

test('only one of two processes takes over a lock, if a third one ended while it took that lock over', async () => {
  await writeFile(`${path}.lock`, ended);
  await writeFile(`${path}.lock.breaking`, ended);
  const reached = new Map<string, () => void>();
  const reach = (step: string): Promise<void> => new Promise((resolve) => void reached.set(step, resolve));
  const [secondRemoves, firstIsDone] = [reach('second removes'), reach('first is done')];
  let first: 'runs' | 'waits' | 'goes on' = 'runs';
  hooks.beforeRemoval = async (removed) => {
    if (removed === `${path}.lock.breaking` && first === 'runs') {
      first = 'waits';
      await secondRemoves;
      first = 'goes on';
    } else if (removed === `${path}.lock` && first === 'waits') {
      reached.get('second removes')?.();
      await firstIsDone;
    }
  };
  const held: HeldLock[] = [];
  const take = async (step: string): Promise<void> => {
    const taken = await takeLock(path).catch(() => undefined);
    if (taken !== undefined) held.push(taken);
    reached.get(step)?.();
  };
  const taking = take('first is done');
  await soon(() => expect(first).toBe('waits'));
  await take('second removes');
  await taking;
  expect(held).toHaveLength(1);
});
