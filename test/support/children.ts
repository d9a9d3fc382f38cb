/** Checks whether processes are alive, and waits until they are not. */
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** False for a zombie. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Polls until the condition is true; fails after a timeout. */
export async function eventually(what: string, holds: () => boolean, ms = 30_000): Promise<void> {
  const until = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > until) throw new Error(`timed out after ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
