/** Fails fast while Redis is unreachable: limits the time of each command, and the number of pending commands. */
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import { withTimeout } from '../../peer/wait.ts';
import type { RedisSend } from './redis-script.ts';

/** Maximum number of pending commands; one more is rejected immediately. */
const MAX_WAITING = 1_000;

/**
 * The timeout is split into this many timers in a row. If the event loop is blocked for longer than the whole timeout, only one timer
 * fires late, and the reply is read before the last one, so that a slow process is not mistaken for an unreachable Redis.
 */
const WAITS = 5;

const unreachable = (why: string): McpError<'MCP_UNREACHABLE'> =>
  new McpError('MCP_UNREACHABLE', { url: 'Redis', why });

/** Rejects calls of `run` while MAX_WAITING calls are pending (backpressure). */
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

/** Adds a timeout to `send`. A command that timed out can still have taken effect, and counts as pending until its reply arrives. */
export function boundedSend(send: RedisSend, timeoutMs: number, clock: Clock): RedisSend {
  const limited = limitWaiting(send);
  return async (command, key) => {
    const reply = limited(command, key).then((value) => ({ value }));
    for (let waits = 0; waits < WAITS; waits++) {
      const settled = await withTimeout(timeoutMs / WAITS, clock, reply);
      if (settled !== undefined) return settled.value;
    }
    throw unreachable(`no reply to ${command[0]} within ${timeoutMs} ms`);
  };
}
