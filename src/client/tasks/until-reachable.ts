/** Repeats requests about a task while the server cannot be reached: it may only be restarting, and the task itself may be fine. */
import { McpError } from '../../errors.ts';
import { backoffMs } from '../../peer/backoff.ts';
import { sleep } from '../../peer/wait.ts';
import type { ClientSettings } from '../options.ts';

/** Requests are repeated this long. A request that was open for longer had reached the server. */
export const MAX_OFFLINE_MS = 300_000;

/** Whether the connection failed. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof McpError && (error.kind === 'offline' || error.kind === 'exit');

/** Runs a request that is safe to repeat, until the server responds or could not be reached for five minutes. */
export async function untilReachable<T>(
  { clock, random }: ClientSettings,
  signal: AbortSignal,
  send: () => Promise<T>,
): Promise<T> {
  for (let failed = 0, since = clock.now(); ; ) {
    const sentAt = clock.now();
    try {
      return await send();
    } catch (error) {
      const now = clock.now();
      if (failed === 0 || now - sentAt > MAX_OFFLINE_MS) {
        failed = 0;
        since = now;
      }
      if (!isUnreachable(error) || now - since > MAX_OFFLINE_MS) throw error;
      await sleep(clock, backoffMs(++failed, random()), signal);
    }
  }
}
