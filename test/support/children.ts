/** What tests ask about processes: whether one is there, and for how long they wait until it is not. */
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** A process that has died and waits for its parent to notice is not alive. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Looks again and again until it is true, and fails when that takes too long. */
export async function eventually(what: string, holds: () => boolean, ms = 30_000): Promise<void> {
  const until = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > until) throw new Error(`timed out after ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
