/** Messages of a server that belong to no request, over a channel that both sides write to. */
import type { Duplex } from '../peer/duplex.ts';
import type { ServerPush } from '../peer/exchange.ts';

export const duplexPush = (duplex: Duplex, end: () => void): ServerPush => ({
  notify: (message) => duplex.send(message),
  ask: (request) => duplex.ask(request),
  end,
  renew: () => duplex.renew(),
});
