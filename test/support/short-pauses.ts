/** A clock for tests over real sockets: shortens pauses of up to a second, and keeps longer timeouts. */
import { type Clock, systemClock } from '../../src/peer/clock.ts';

export const shortPauses: Clock = {
  ...systemClock,
  after: (ms, run, options) => systemClock.after(ms <= 1_000 ? ms / 50 : ms, run, options),
};
