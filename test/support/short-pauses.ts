/** For tests over real sockets, which no held clock can wait for: pauses of up to a second are short, and deadlines as long as ever. */
import { type Clock, systemClock } from '../../src/peer/clock.ts';

export const shortPauses: Clock = {
  ...systemClock,
  after: (ms, run, options) => systemClock.after(ms <= 1_000 ? ms / 50 : ms, run, options),
};
