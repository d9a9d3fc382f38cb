/** Kills processes that a product left running, such as daemons in their own session. */
import { readdirSync, readFileSync } from 'node:fs';

/** Kills processes whose HOME is that of the trial, which has a random name. Linux only. */
export async function endLeftovers(home: string): Promise<void> {
  for (const pid of processesWithHome(home)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has exited.
    }
  }
}

function processesWithHome(home: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      } catch {
        return false; // it has exited, or belongs to another user
      }
    })
    .map(Number);
}
