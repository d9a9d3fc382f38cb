/** Records all messages of a connection in both directions, as JSON. */
import type { Message, RpcResponse } from '../../src/jsonrpc/message.ts';
import { type Exchange, type Link, linkWith, type Transport } from '../../src/peer/exchange.ts';

export interface Overheard {
  /** `>` from the client, `<` from the server. */
  readonly side: '>' | '<';
  readonly message: Message;
  /** For a response: the method of its request. */
  readonly answers?: string;
}

/** Wraps a transport and records its messages in `log`. Both ends get copies that went through JSON. */
export function tap(transport: Transport, log: Overheard[]): Transport {
  return async (inbound, session) => {
    const connection = await transport(tapped(inbound, '<', log), session);
    const exchange = tapped(connection.exchange, '>', log);
    return { exchange, close: () => connection.close(), closed: connection.closed };
  };
}

function tapped(exchange: Exchange, side: '>' | '<', log: Overheard[]): Exchange {
  const back = side === '>' ? '<' : '>';
  return async (message, link) => {
    const sent = note(log, { side, message });
    const response = await exchange(sent, tappedLink(link, back, log));
    if (response === undefined || !('method' in message)) return response;
    return note(log, { side: back, message: response, answers: message.method });
  };
}

/** Messages on the link of a request go in the opposite direction. */
const tappedLink = (link: Link, side: '>' | '<', log: Overheard[]): Link =>
  linkWith(link, {
    notify: (message) => link.notify(note(log, { side, message })),
    ask: async (request): Promise<RpcResponse> => {
      const response = await link.ask(note(log, { side, message: request }));
      return note(log, { side: side === '>' ? '<' : '>', message: response, answers: request.method });
    },
  });

function note<M extends Message>(log: Overheard[], entry: Overheard & { readonly message: M }): M {
  const message: M = JSON.parse(JSON.stringify(entry.message));
  log.push({ ...entry, message });
  return message;
}
