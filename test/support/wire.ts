/** One end of a channel under test: records what it sends, and receives what the test says. */
import type { Message, RpcNotification, RpcRequest, RpcResponse } from '../../src/jsonrpc/message.ts';
import { Abort } from '../../src/peer/abort.ts';
import { Duplex, type DuplexOptions } from '../../src/peer/duplex.ts';
import type { Exchange, Link } from '../../src/peer/exchange.ts';

export interface Wire {
  readonly duplex: Duplex;
  /** Sent messages. */
  readonly sent: (Message | readonly Message[])[];
  readonly strays: string[];
}

export function wire(inbound: Exchange = nothing, options: Partial<DuplexOptions> = {}): Wire {
  const sent: (Message | readonly Message[])[] = [];
  const strays: string[] = [];
  const duplex = new Duplex({
    send: (message) => sent.push(JSON.parse(JSON.stringify(message))),
    inbound,
    session: {},
    onStray: (what) => strays.push(what),
    ...options,
  });
  return { duplex, sent, strays };
}

/** Never answers. */
export const nothing: Exchange = () => Promise.resolve(undefined);

export interface TestLink extends Link {
  readonly heard: RpcNotification[];
  readonly abort: Abort;
}

/** A link that records notifications. */
export function link(): TestLink {
  const abort = new Abort();
  const heard: RpcNotification[] = [];
  return {
    abort,
    heard,
    get signal() {
      return abort.signal;
    },
    onAbort: (listener) => abort.onAbort(listener),
    notify: (message) => heard.push(message),
    ask: (request: RpcRequest): Promise<RpcResponse> => Promise.reject(new Error(`${request.method} is not answered`)),
  };
}
