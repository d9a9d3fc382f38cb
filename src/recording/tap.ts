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
export function tapTransport(transport: Transport, ear: MessageListener): Transport {
  return async (inbound, session) => {
    const line = await transport(listening(inbound, '<', ear), session);
    return connectionWith(line, listening(line.exchange, '>', ear));
  };
}

const other = (side: MessageSide): MessageSide => (side === '>' ? '<' : '>');

function listening(exchange: Exchange, side: MessageSide, ear: MessageListener): Exchange {
  return async (message, link) => {
    // An answer is heard of one step after it came; everything else from there is too, so that the order is the server's.
    if (side === '<') await Promise.resolve();
    ear.hear({ side, message });
    if (!isRequest(message)) return exchange(message, tappedLink(link, other(side), ear));
    const way = tappedLink(link, other(side), { ...ear, hear: (one) => ear.hear({ ...one, during: message }) });
    return answered(message, { side, ear, link, run: () => exchange(message, way) });
  };
}

interface TappedRequest<R> {
  readonly side: MessageSide;
  readonly ear: MessageListener;
  readonly link?: Link;
  run(): Promise<R>;
}

/** A request that is cancelled is shown by its notification, as it goes over the wire. */
async function answered<R extends RpcResponse | undefined>(
  request: RpcRequest,
  { side, ear, link, run }: TappedRequest<R>,
): Promise<R> {
  const since = ear.clock.now();
  let over = false;
  if (link !== undefined)
    whenAborted(link, () => {
      if (!over) ear.hear({ side, message: notification(CANCELLED, { requestId: request.id satisfies Id }) });
    });
  try {
    const message = await run();
    if (message !== undefined)
      ear.hear({ side: other(side), message, answers: { request, ms: ear.clock.now() - since } });
    return message;
  } finally {
    over = true;
  }
}

/** What is said on behalf of a message travels the other way. */
function tappedLink(link: Link, side: MessageSide, ear: MessageListener): Link {
  return linkWith(link, {
    notify(message) {
      const pass = (): void => {
        ear.hear({ side, message });
        link.notify(message);
      };
      if (side === '<') queueMicrotask(pass);
      else pass();
    },
    ask(request): Promise<RpcResponse> {
      ear.hear({ side, message: request });
      return answered(request, { side, ear, run: () => link.ask(request) });
    },
  });
}
