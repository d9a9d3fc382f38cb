/** Two processes that take or release one lock at the same moment, with every step of one between two steps of the other. */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { settled } from '../../test/support/held-clock.ts';
import { soon } from '../../test/support/soon.ts';
import type { Clock } from '../peer/clock.ts';
import { type HeldLock, takeLock, whileLocked } from './file-lock.ts';

/** Called before a file is removed. */
let beforeRemoval: (path: string) => Promise<void>;

let path: string;
let ended: string;

beforeEach(async () => {
  beforeRemoval = async () => undefined;
  const { rm } = fs;
  // Not `vi.mock`: another test file of this worker can have loaded the lock before.
  const removing = vi.spyOn(fs, 'rm').mockImplementation(async (removed, options) => {
    await beforeRemoval(String(removed));
    return rm(removed, options);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    removing.mockRestore();
    syncBuiltinESMExports();
  });
  path = join(await fs.mkdtemp(join(tmpdir(), 'mooring-locks-')), 'file');
  const held = await takeLock(path);
  const mine = JSON.parse(await fs.readFile(`${path}.lock`, 'utf8')) as object;
  await held.release();
  ended = JSON.stringify({ ...mine, pid: 2 ** 22 + 1 });
});

afterEach(() => fs.rm(dirname(path), { recursive: true }));

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
  beforeRemoval = async (removed) => {
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
  await fs.writeFile(`${path}.lock`, ended);
  await fs.writeFile(`${path}.lock.breaking`, ended);
  const reached = new Map<string, () => void>();
  const reach = (step: string): Promise<void> => new Promise((resolve) => void reached.set(step, resolve));
  const [secondRemoves, firstIsDone] = [reach('second removes'), reach('first is done')];
  let first: 'runs' | 'waits' | 'goes on' = 'runs';
  beforeRemoval = async (removed) => {
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
