/** Listening in on a line: every message in both directions, as it goes by. */
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

/** `>` from the client, `<` from the server. */
export type MessageSide = '>' | '<';

export interface TappedMessage {
  readonly side: MessageSide;
  readonly message: Message;
  /** For a response: the request it answers, and how long that took. */
  readonly answers?: { readonly request: RpcRequest; readonly ms: number };
  /** For what is said on behalf of a request of the other side: that request. */
  readonly during?: RpcRequest;
}

export interface MessageListener {
  readonly clock: Clock;
  hear(overheard: TappedMessage): void;
}

/** The same transport, whose lines are listened to. */
export function tapTransport(transport: Transport, listener: MessageListener): Transport {
  return async (inbound, session) => {
    const line = await transport(tapExchange(inbound, '<', listener), session);
    return connectionWith(line, tapExchange(line.exchange, '>', listener));
  };
}

const other = (side: MessageSide): MessageSide => (side === '>' ? '<' : '>');

function tapExchange(exchange: Exchange, side: MessageSide, listener: MessageListener): Exchange {
  return async (message, link) => {
    // A response is reported one step after it came. So is everything else of the server, which keeps its order.
    if (side === '<') await Promise.resolve();
    listener.hear({ side, message });
    if (!isRequest(message)) return exchange(message, tappedLink(link, other(side), listener));
    const way = tappedLink(link, other(side), {
      ...listener,
      hear: (one) => listener.hear({ ...one, during: message }),
    });
    return tapResponse(message, { side, listener, link, run: () => exchange(message, way) });
  };
}

interface TappedRequest<R> {
  readonly side: MessageSide;
  readonly listener: MessageListener;
  readonly link?: Link;
  run(): Promise<R>;
}

/** A request that is cancelled is shown by its notification, as it goes over the wire. */
async function tapResponse<R extends RpcResponse | undefined>(
  request: RpcRequest,
  { side, listener, link, run }: TappedRequest<R>,
): Promise<R> {
  const since = listener.clock.now();
  let over = false;
  if (link !== undefined)
    whenAborted(link, () => {
      if (!over) listener.hear({ side, message: notification(CANCELLED, { requestId: request.id satisfies Id }) });
    });
  try {
    const message = await run();
    if (message !== undefined)
      listener.hear({ side: other(side), message, answers: { request, ms: listener.clock.now() - since } });
    return message;
  } finally {
    over = true;
  }
}

/** What is said on behalf of a message travels the other way. */
function tappedLink(link: Link, side: MessageSide, listener: MessageListener): Link {
  return linkWith(link, {
    notify(message) {
      const pass = (): void => {
        listener.hear({ side, message });
        link.notify(message);
      };
      if (side === '<') queueMicrotask(pass);
      else pass();
    },
    ask(request): Promise<RpcResponse> {
      listener.hear({ side, message: request });
      return tapResponse(request, { side, listener, run: () => link.ask(request) });
    },
  });
}
