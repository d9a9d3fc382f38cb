/** Commands that do not wait for a Redis that is away: each has a timeout, and the number of those that wait has a limit. */
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import { type Deadline, Deadlines } from '../../peer/deadlines.ts';
import type { RedisSend } from './redis-script.ts';

/** Commands without a reply; one more is rejected at once. */
const MAX_WAITING = 1_000;

/** A command that waits for its reply. */
class WaitingCommand implements Deadline {
  place = -1;
  readonly due: number;
  readonly expire: () => void;

  constructor(due: number, expire: () => void) {
    this.due = due;
    this.expire = expire;
  }
}

const unreachable = (why: string): McpError<'MCP_UNREACHABLE'> =>
  new McpError('MCP_UNREACHABLE', { url: 'Redis', why });

/** A late reply is ignored, but the command can still have been done. */
export function boundedSend(send: RedisSend, timeoutMs: number, clock: Clock): RedisSend {
  const deadlines = new Deadlines<WaitingCommand>(clock);
  let waiting = 0;
  return (command, key) =>
    new Promise((resolve, reject) => {
      if (waiting >= MAX_WAITING) return reject(unreachable(`${waiting} commands wait for a reply`));
      waiting++;
      const deadline = new WaitingCommand(clock.now() + timeoutMs, () =>
        reject(unreachable(`no reply to ${command[0]} within ${timeoutMs} ms`)),
      );
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
