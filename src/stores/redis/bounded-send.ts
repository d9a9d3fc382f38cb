/** Commands that do not wait for a Redis that is away: each has a timeout, and the number of those that wait has a limit. */
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import { type Deadline, Deadlines } from '../../peer/deadlines.ts';
import type { RedisSend } from './redis-script.ts';

/** Commands without a reply; one more is rejected at once. */
export const MAX_WAITING = 1_000;

/**
 * A timeout is so many waits in a row. A process that stands still for longer than the whole timeout makes one of them late, and has
 * read the reply before the last one is over: it is not Redis that is away then.
 */
const WAITS = 5;

/** A command that waits for its reply. */
class WaitingCommand implements Deadline {
  place = -1;
  waits: number = WAITS;
  due: number;
  readonly expire: () => void;

  constructor(due: number, expire: () => void) {
    this.due = due;
    this.expire = expire;
  }
}

const unreachable = (why: string): McpError<'MCP_UNREACHABLE'> =>
  new McpError('MCP_UNREACHABLE', { url: 'Redis', why });

export const tooManyCommands = (waiting: number): Error => unreachable(`${waiting} commands wait for a reply`);

/** A late reply is ignored, but the command can still have been done. */
export function boundedSend(send: RedisSend, timeoutMs: number, clock: Clock): RedisSend {
  const deadlines = new Deadlines<WaitingCommand>(clock);
  let waiting = 0;
  return (command, key) =>
    new Promise((resolve, reject) => {
      if (waiting >= MAX_WAITING) return reject(tooManyCommands(waiting));
      waiting++;
      const expire = (): void => {
        deadline.due = clock.now() + timeoutMs / WAITS;
        if (--deadline.waits > 0) deadlines.arm(deadline);
        else reject(unreachable(`no reply to ${command[0]} within ${timeoutMs} ms`));
      };
      const deadline = new WaitingCommand(clock.now() + timeoutMs / WAITS, expire);
      deadlines.arm(deadline);
      const settle = (): void => {
        waiting--;
        deadlines.disarm(deadline);
      };
      send(command, key).then(
        (reply) => {
          settle();
          resolve(reply);
        },
        (thrown: unknown) => {
          settle();
          reject(thrown);
        },
      );
    });
}
