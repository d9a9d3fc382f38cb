/** Lock files: let one process at a time write a file. The lock of a process that has ended is taken over. */
import { randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import process from 'node:process';
import type { Clock } from '../peer/clock.ts';
import { errorCodeOf, FileFault, toFileFault } from './file-fault.ts';
import { readFileText } from './read-file.ts';

export interface HeldLock {
  /** False after another process broke the lock, for example because this one was suspended for long. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LockWait {
  readonly clock: Clock;
  /** Throws `FileFault` after this time. Default: 5 seconds. */
  readonly waitMs?: number;
  /** Breaks a lock that is unchanged for this long, even if its holder is alive. Only for work that takes milliseconds. */
  readonly staleMs?: number;
}

const WAIT_MS = 5_000;
const PAUSE_MS = 20;
const MAX_LOCK_BYTES = 4_096;

/** Takes the lock without waiting. Throws `FileFault` if another process holds it. */
export async function takeLock(path: string): Promise<HeldLock> {
  const held = await tryLock(path);
  if (held === undefined) throw lockedFault(path);
  return held;
}

/** Waits for the lock, runs, and releases it. */
export async function whileLocked<T>(path: string, wait: LockWait, run: (held: HeldLock) => Promise<T>): Promise<T> {
  const held = await waitForLock(path, wait);
  try {
    return await run(held);
  } finally {
    await held.release();
  }
}

async function waitForLock(path: string, { clock, waitMs = WAIT_MS, staleMs }: LockWait): Promise<HeldLock> {
  const began = clock.now();
  let seen: { readonly text: string | undefined; readonly since: number } = { text: undefined, since: began };
  for (;;) {
    const held = await tryLock(path);
    if (held !== undefined) return held;
    const [now, text] = [clock.now(), await readLockText(lockPathOf(path))];
    if (seen.text !== text) seen = { text, since: now };
    if (staleMs !== undefined && text !== undefined && now - seen.since >= staleMs) {
      const broken = await tryLock(path, text);
      if (broken !== undefined) return broken;
    }
    if (now - began >= waitMs) throw lockedFault(path);
    await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve));
  }
}

/** Returns undefined if the lock is held. `stale` is the text of a lock to break even if its holder is alive. */
async function tryLock(path: string, stale?: string): Promise<HeldLock | undefined> {
  const lock = lockPathOf(path);
  const found = await readLockText(lock);
  if (found !== undefined && found !== stale && isAlive(found)) return undefined;
  const mine = JSON.stringify({ pid: process.pid, since: performance.timeOrigin, id: randomUUID() });
  if (!(found === undefined ? await createWhole(lock, mine) : await takeOverLock(lock, mine, found))) return undefined;
  const isHeld = async (): Promise<boolean> => (await readLockText(lock)) === mine;
  return {
    isHeld,
    release: async () => {
      if (await isHeld()) await rm(lock, { force: true });
    },
  };
}

const lockPathOf = (path: string): string => `${path}.lock`;

const lockedFault = (path: string): FileFault =>
  new FileFault(
    path,
    `another process writes to it; if that process has ended, remove ${lockPathOf(path)} and what begins like it`,
  );

/** Replaces a stale lock, under a second lock: otherwise two processes race, and one removes the new lock of the other. */
async function takeOverLock(lock: string, mine: string, stale: string): Promise<boolean> {
  const breaking = `${lock}.breaking`;
  if (!(await createOrTakeOver(breaking, mine))) return false;
  try {
    if ((await readLockText(lock)) === stale) await rm(lock, { force: true });
    return await createWhole(lock, mine);
  } finally {
    await rm(breaking, { force: true });
  }
}

function isAlive(text: string): boolean {
  const holder = parseHolder(text);
  // Locks are created whole, so a malformed file was not written by this code, and is left alone.
  if (holder === undefined) return true;
  if (holder.pid === process.pid) return holder.since === performance.timeOrigin;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return errorCodeOf(error) === 'EPERM';
  }
}

/** `since` is the start time of the process, because process ids are reused. */
function parseHolder(text: string): { readonly pid: number; readonly since: number } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('since' in value)) return undefined;
    const { pid, since } = value;
    return typeof pid === 'number' && typeof since === 'number' ? { pid, since } : undefined;
  } catch {
    return undefined;
  }
}

/** Creates the file, or takes it over from a process that ended while it was breaking a lock. */
async function createOrTakeOver(path: string, text: string): Promise<boolean> {
  if (await createWhole(path, text)) return true;
  const left = await readLockText(path);
  if (left !== undefined && isAlive(left)) return false;
  await rm(path, { force: true });
  return createWhole(path, text);
}

/** Returns false if the file exists. Links a finished file, so that a process that is killed here leaves no empty lock. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw toFileFault(path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

const readLockText = (path: string): Promise<string | undefined> => readFileText(path, { maxBytes: MAX_LOCK_BYTES });
