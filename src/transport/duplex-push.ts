/** The way to a client that no request of its own leads to, over a channel that both sides write to. */
import { McpError } from '../errors.ts';
import type { RpcResponse } from '../jsonrpc/message.ts';
import type { Duplex } from '../peer/duplex.ts';
import type { Link, ServerPush } from '../peer/exchange.ts';

/** A question that belongs to no request is called off by nobody, and is told nothing on the way. */
export const detachedLink: Link = {
  signal: new AbortController().signal,
  onAbort: () => undefined,
  notify: () => undefined,
  ask: () => Promise.reject(new McpError('MCP_CLOSED', { why: 'this link leads nowhere' })),
};

export function duplexPush(duplex: Duplex, end: () => void): ServerPush {
  return {
    notify: (message) => duplex.say(message),
    // exchange answers every request, or throws
    ask: async (request) => (await duplex.exchange(request, detachedLink)) as RpcResponse,
    end,
    renew: () => duplex.renew(),
  };
}
