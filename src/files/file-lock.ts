/**
 * Lock files: let one process at a time write a file. The lock of a process that has ended is taken over; that of a process on another
 * machine, whose process ids say nothing here, counts as held.
 */
import { createHash, randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import process from 'node:process';
import { parseObject } from '../jsonrpc/read.ts';
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
/** Another process breaks a lock within milliseconds, unless it is suspended meanwhile. */
const RELEASE_TRIES = 100;

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

async function waitForLock(
  path: string,
  { clock, waitMs = WAIT_MS, staleMs = Number.POSITIVE_INFINITY }: LockWait,
): Promise<HeldLock> {
  const began = clock.now();
  let seen: { readonly text: string | undefined; readonly since: number } = { text: undefined, since: began };
  for (;;) {
    const held = await tryLock(path);
    if (held !== undefined) return held;
    const [now, text] = [clock.now(), await readLockText(lockPathOf(path))];
    if (seen.text !== text) seen = { text, since: now };
    if (now - seen.since >= staleMs) {
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
  const mine = await makeLockText();
  if (!(await acquire(lock, mine, stale))) return undefined;
  const isHeld = async (): Promise<boolean> => (await readLockText(lock)) === mine;
  return {
    isHeld,
    release: async () => {
      for (let tries = 0; tries < RELEASE_TRIES; tries++)
        if (!(await isHeld()) || (await removeLock(lock, mine))) return;
      await rm(lock, { force: true });
    },
  };
}

/** Creates a lock, or takes it over if its holder has ended or its text is `stale`. Returns false if it is held. */
async function acquire(lock: string, mine: string, stale?: string): Promise<boolean> {
  const found = await readLockText(lock);
  if (found !== undefined) {
    if (found !== stale && (await isAlive(found))) return false;
    if (!(await removeLock(lock, found))) return false;
  }
  return createWhole(lock, mine);
}

/** Removes a lock if it has this text, under a second lock: otherwise it could be that of a process which took it over meanwhile. */
async function removeLock(lock: string, text: string): Promise<boolean> {
  const breaking = `${lock}.breaking`;
  if (!(await acquire(breaking, await makeLockText()))) return false;
  try {
    if ((await readLockText(lock)) === text) await rm(lock, { force: true });
    return true;
  } finally {
    await rm(breaking, { force: true });
  }
}

const lockPathOf = (path: string): string => `${path}.lock`;

const lockedFault = (path: string): FileFault =>
  new FileFault(
    path,
    `another process writes to it; if that process has ended, remove ${lockPathOf(path)} and what begins like it`,
  );

async function isAlive(text: string): Promise<boolean> {
  const holder = parseHolder(text);
  // Locks are created whole, so a malformed file was not written by this code, and is left alone.
  if (holder === undefined) return true;
  const here = await thisBoot();
  const { machine = here.machine, boot = here.boot } = holder;
  if (machine !== here.machine) return true;
  if (boot !== here.boot) return false;
  if (holder.pid === process.pid) return holder.since === performance.timeOrigin;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return errorCodeOf(error) === 'EPERM';
  }
}

/** Tells this machine or container from others that share a volume with it, and this start of it from earlier ones. */
async function thisBoot(): Promise<{ readonly machine: string; readonly boot: string }> {
  const [id, boot] = await Promise.all(['/etc/machine-id', '/proc/sys/kernel/random/boot_id'].map(readIdentity));
  // Hashed, because the id of a machine is not for others.
  return { machine: createHash('sha256').update(`${hostname()} ${id}`).digest('base64url'), boot: boot ?? '' };
}

/** Empty on systems without this file. */
const readIdentity = (path: string): Promise<string> =>
  readFileText(path, { maxBytes: MAX_LOCK_BYTES }).then(
    (text = '') => text.trim(),
    () => '',
  );

async function makeLockText(): Promise<string> {
  const holder: LockHolder = { pid: process.pid, since: performance.timeOrigin, ...(await thisBoot()) };
  return JSON.stringify({ ...holder, id: randomUUID() });
}

interface LockHolder {
  readonly pid: number;
  /** The start time of the process, because process ids are reused. */
  readonly since: number;
  /** Where the process runs; this machine, in locks of a version that did not say. */
  readonly machine?: unknown;
  readonly boot?: unknown;
}

function parseHolder(text: string): LockHolder | undefined {
  const { pid, since, machine, boot } = parseObject(text) ?? {};
  return typeof pid === 'number' && typeof since === 'number' ? { pid, since, machine, boot } : undefined;
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
