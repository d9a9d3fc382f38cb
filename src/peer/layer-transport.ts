/** Applies layers (middleware) to what a client sends, and their `inbound` layers to what it receives. */
import type { Connection, Exchange, Layer, Transport } from './exchange.ts';

/** Wraps the exchange of each connection of a transport in layers, outermost first. */
export function layerTransport(transport: Transport, layers: readonly Layer[]): Transport {
  if (layers.length === 0) return transport;
  return async (inbound, session) => {
    const received = layers.reduceRight((next, layer) => layer.inbound?.(next) ?? next, inbound);
    const connection = await transport(received, session);
    return connectionWith(
      connection,
      layers.reduceRight((next, layer) => layer(next, connection.closed), connection.exchange),
    );
  };
}

/** Copies a connection, with another exchange. */
export const connectionWith = (connection: Connection, exchange: Exchange): Connection => ({
  exchange,
  close: () => connection.close(),
  closed: connection.closed,
  credentials: connection.credentials,
  standing: connection.standing,
  silence: () => connection.silence?.(),
  ...(connection.replies === undefined ? {} : { replies: connection.replies }),
});
