/** A layer that limits how often each caller may have work done. */
import { RpcError } from '../errors.ts';
import { failure, INTERNAL_ERROR, isRequest } from '../jsonrpc/message.ts';
import { principalOf } from '../model/caller.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import type { Layer } from '../peer/exchange.ts';
import { Throttle } from '../peer/throttle.ts';

/** How many calls one caller may make, and in which time. */
export interface RateLimit {
  /** Calls of tools and completions per caller. */
  readonly calls: number;
  readonly perMs: number;
  readonly clock?: Clock;
}

const counted: ReadonlySet<string> = new Set(['tools/call', 'completion/complete']);
/** Callers to keep count of; the one who came first is forgotten first. */
const MAX_CALLERS = 10_000;

/** A layer that refuses callers who call too often; `use(server, rateLimit({ … }))`. */
export function rateLimit({ calls, perMs, clock = systemClock }: RateLimit): Layer {
  const rates = new Map<string, Throttle>();
  const rateOf = (caller: string): Throttle => {
    const known = rates.get(caller);
    if (known !== undefined) return known;
    const [oldest] = rates.keys();
    if (rates.size >= MAX_CALLERS && oldest !== undefined) rates.delete(oldest);
    const rate = new Throttle(calls, clock, perMs);
    rates.set(caller, rate);
    return rate;
  };
  return (next) => (message, link) => {
    if (!isRequest(message) || !counted.has(message.method) || rateOf(principalOf(link.auth)).allows()) {
      return next(message, link);
    }
    const refusal = new RpcError(INTERNAL_ERROR, `Too many calls: ${calls} per ${perMs} ms are allowed`);
    return Promise.resolve(failure(message.id, refusal));
  };
}
