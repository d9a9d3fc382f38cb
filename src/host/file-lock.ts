/** One writer at a time. A lock whose holder is gone is taken over. */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import process from 'node:process';
import type { McpError } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Clock } from '../peer/clock.ts';
import { badFile, codeOf, unusable } from './record-folder.ts';

interface Holder {
  readonly pid: number;
  /** When that process began, which tells it from a later one with the same number. */
  readonly since: number;
  readonly id: string;
}

/** Whoever writes for a moment only is waited for, this long in all. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 20;

/** Resolves with a function that gives the lock back. Rejects when somebody else has it. */
export async function locked(path: string): Promise<() => Promise<void>> {
  const unlock = await attempt(path);
  if (unlock === undefined) throw taken(path);
  return unlock;
}

/** Runs while nobody else writes, after those who do. */
export async function whileLocked<T>(path: string, clock: Clock, run: () => Promise<T>): Promise<T> {
  const until = clock.now() + PATIENCE_MS;
  let unlock = await attempt(path);
  while (unlock === undefined) {
    if (clock.now() >= until) throw taken(path);
    await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve));
    unlock = await attempt(path);
  }
  try {
    return await run();
  } finally {
    await unlock();
  }
}

async function attempt(path: string): Promise<(() => Promise<void>) | undefined> {
  const lock = lockOf(path);
  const mine = JSON.stringify({ pid: process.pid, since: performance.timeOrigin, id: randomUUID() });
  if (!(await made(lock, mine)) && !(await takenOver(lock, mine))) return undefined;
  return async () => {
    if ((await textOf(lock)) === mine) await rm(lock, { force: true });
  };
}

const lockOf = (path: string): string => `${path}.lock`;

const taken = (path: string): McpError =>
  badFile(path, `another process writes to it; if none does, remove ${lockOf(path)}`);

/** One at a time: otherwise one could remove the fresh lock that another made after removing the stale one. */
async function takenOver(lock: string, mine: string): Promise<boolean> {
  const stale = await textOf(lock);
  if (stale === undefined) return made(lock, mine);
  if (isAlive(stale)) return false;
  const breaking = `${lock}.breaking`;
  if (!(await madeAnew(breaking, mine))) return false;
  try {
    if ((await textOf(lock)) === stale) await rm(lock, { force: true });
    return await made(lock, mine);
  } finally {
    await rm(breaking, { force: true });
  }
}

function isAlive(text: string): boolean {
  const holder = holderIn(text);
  // Locks are never half written, so this is none of ours.
  if (holder === undefined) return true;
  if (holder.pid === process.pid) return holder.since === performance.timeOrigin;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is a process.
    return codeOf(error) === 'EPERM';
  }
}

function holderIn(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { pid, since, id } = value;
    return typeof pid === 'number' && typeof since === 'number' && typeof id === 'string'
      ? { pid, since, id }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Also where somebody died who was about to break a lock. */
async function madeAnew(path: string, text: string): Promise<boolean> {
  if (await made(path, text)) return true;
  const left = await textOf(path);
  if (left !== undefined && isAlive(left)) return false;
  await rm(path, { force: true });
  return made(path, text);
}

/** False when the file is there already. It is there as a whole or not at all: who is killed halfway leaves no lock that says nothing. */
async function made(path: string, text: string): Promise<boolean> {
  const beside = `${path}.${randomUUID()}`;
  try {
    await writeFile(beside, text, { flag: 'wx', mode: 0o600 });
    await link(beside, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw unusable(path, error);
  } finally {
    await rm(beside, { force: true });
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
}
