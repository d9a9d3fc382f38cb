/** Ends what a product left running. Some start a daemon in a session of its own, which a process group does not hold. */
import { readdirSync, readFileSync } from 'node:fs';

/** Processes that live in the home of a trial; the name of that folder is random, so no other process has it. Linux only. */
export async function endLeftovers(home: string): Promise<void> {
  for (const pid of livingIn(home)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It is gone.
    }
  }
}

function livingIn(home: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      } catch {
        return false; // it is gone, or another user's
      }
    })
    .map(Number);
}
