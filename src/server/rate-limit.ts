/** Middleware (a `Layer`) that limits the call rate of each caller. Uses only public API, as a layer of yours would. */
import { McpError, RpcError } from '../errors.ts';
import { failure, isRequest } from '../jsonrpc/message.ts';
import { principalOf } from '../model/caller.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import type { Layer } from '../peer/exchange.ts';

/** How many calls one caller can make, in which time. */
export interface RateLimit {
  /** Calls of tools and completions per caller. */
  readonly calls: number;
  readonly perMs: number;
  readonly clock?: Clock;
}

/** The methods that count towards the limit. */
const limited: ReadonlySet<string> = new Set(['tools/call', 'completion/complete']);
/** Callers that are counted at once. Beyond that, the caller that was added first is evicted. */
const MAX_CALLERS = 10_000;

/** Middleware that rejects calls above a rate limit per caller: `use(server, rateLimit({ … }))`. */
export function rateLimit(limit: RateLimit): Layer {
  const { calls, perMs, clock = systemClock } = Object(limit) as RateLimit;
  if (!(calls >= 0 && perMs >= 0))
    throw new McpError('MCP_BAD_DEFINITION', { what: 'rateLimit', why: '"calls" and "perMs" must be numbers' });
  const windows = new Map<string, { since: number; count: number }>();
  const isAllowed = (caller: string): boolean => {
    const now = clock.now();
    const known = windows.get(caller);
    if (known === undefined || now - known.since >= perMs) {
      const [oldest] = windows.keys();
      if (known === undefined && windows.size >= MAX_CALLERS && oldest !== undefined) windows.delete(oldest);
      windows.set(caller, { since: now, count: 1 });
      return calls >= 1;
    }
    return ++known.count <= calls;
  };
  return (next) => async (message, link) => {
    if (!isRequest(message) || !limited.has(message.method) || isAllowed(principalOf(link.auth))) {
      return next(message, link);
    }
    return failure(message.id, new RpcError(-32603, `Too many calls: ${calls} per ${perMs} ms are allowed`));
  };
}
