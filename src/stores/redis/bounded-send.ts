/** Commands that do not wait for a Redis that is away: each has a timeout, and the number of those that wait has a limit. */
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import { withTimeout } from '../../peer/wait.ts';
import type { RedisSend } from './redis-script.ts';

/** Commands without a reply; one more is rejected at once. */
const MAX_WAITING = 1_000;

/**
 * A timeout is so many waits in a row. A process that stands still for longer than the whole timeout makes one of them late, and has
 * read the reply before the last one is over: it is not Redis that is away then.
 */
const WAITS = 5;

const unreachable = (why: string): McpError<'MCP_UNREACHABLE'> =>
  new McpError('MCP_UNREACHABLE', { url: 'Redis', why });

/** Calls this function only while fewer than the most of its calls wait. */
export function limitWaiting<A extends unknown[], R>(run: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let waiting = 0;
  return async (...args) => {
    if (waiting >= MAX_WAITING) throw unreachable(`${waiting} commands wait for a reply`);
    waiting++;
    try {
      return await run(...args);
    } finally {
      waiting--;
    }
  };
}

/** A late reply is ignored, but the command can still have been done. It counts as waiting until its reply is there. */
export function boundedSend(send: RedisSend, timeoutMs: number, clock: Clock): RedisSend {
  const limited = limitWaiting(send);
  return async (command, key) => {
    const reply = limited(command, key).then((value) => ({ value }));
    for (let waits = 0; waits < WAITS; waits++) {
      const came = await withTimeout(timeoutMs / WAITS, clock, reply);
      if (came !== undefined) return came.value;
    }
    throw unreachable(`no reply to ${command[0]} within ${timeoutMs} ms`);
  };
}
