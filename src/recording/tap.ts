/** Wraps a transport to observe all messages in both directions, for traces, recordings and the workbench. */
import {
  type Id,
  isRequest,
  type Message,
  notification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { CANCELLED } from '../model/names.ts';
import type { Clock } from '../peer/clock.ts';
import { type Exchange, type Link, linkWith, type Transport, whenAborted } from '../peer/exchange.ts';
import { connectionWith } from '../peer/layer-transport.ts';

/** The sender of a message: `>` is the client, `<` the server. */
export type MessageSide = '>' | '<';

export interface TappedMessage {
  readonly side: MessageSide;
  readonly message: Message;
  /** For a response: its request and the duration. */
  readonly answers?: { readonly request: RpcRequest; readonly ms: number };
  /** For a message about a request of the other side: that request. */
  readonly during?: RpcRequest;
}

export interface MessageListener {
  readonly clock: Clock;
  onMessage(tapped: TappedMessage): void;
}

/** Wraps the transport so that the listener gets every message of its connections. */
export function tapTransport(transport: Transport, listener: MessageListener): Transport {
  return async (inbound, session) => {
    const connection = await transport(tapExchange(inbound, '<', listener), session);
    return connectionWith(connection, tapExchange(connection.exchange, '>', listener));
  };
}

const otherSide = (side: MessageSide): MessageSide => (side === '>' ? '<' : '>');

function tapExchange(exchange: Exchange, side: MessageSide, listener: MessageListener): Exchange {
  return async (message, link) => {
    // A response is reported one microtask after its arrival. Delays the server's other messages equally, to keep their order.
    if (side === '<') await Promise.resolve();
    listener.onMessage({ side, message });
    if (!isRequest(message)) return exchange(message, tapLink(link, otherSide(side), listener));
    const tapped = tapLink(link, otherSide(side), {
      ...listener,
      onMessage: (one) => listener.onMessage({ ...one, during: message }),
    });
    return tapResponse(message, { side, listener, link, run: () => exchange(message, tapped) });
  };
}

interface TappedRequest<R> {
  readonly side: MessageSide;
  readonly listener: MessageListener;
  readonly link?: Link;
  run(): Promise<R>;
}

/** Reports the response. If the request is cancelled, reports the notification that the transport sends for it. */
async function tapResponse<R extends RpcResponse | undefined>(
  request: RpcRequest,
  { side, listener, link, run }: TappedRequest<R>,
): Promise<R> {
  const since = listener.clock.now();
  let isSettled = false;
  if (link !== undefined)
    whenAborted(link, () => {
      if (!isSettled)
        listener.onMessage({ side, message: notification(CANCELLED, { requestId: request.id satisfies Id }) });
    });
  try {
    const message = await run();
    if (message !== undefined)
      listener.onMessage({ side: otherSide(side), message, answers: { request, ms: listener.clock.now() - since } });
    return message;
  } finally {
    isSettled = true;
  }
}

/** Wraps the link of a message, on which notifications and requests travel in the opposite direction. */
function tapLink(link: Link, side: MessageSide, listener: MessageListener): Link {
  return linkWith(link, {
    notify(message) {
      const pass = (): void => {
        listener.onMessage({ side, message });
        link.notify(message);
      };
      if (side === '<') queueMicrotask(pass);
      else pass();
    },
    ask(request, signal): Promise<RpcResponse> {
      listener.onMessage({ side, message: request });
      return tapResponse(request, { side, listener, run: () => link.ask(request, signal) });
    },
  });
}
