/** Layers around everything that a client sends, and what they have for everything that it gets. */
import type { Connection, Exchange, Layer, Transport } from './exchange.ts';

/** The same transport with layers around the exchange of each of its connections, outermost first. */
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

/** The same connection, whose messages go through another exchange. */
export const connectionWith = (connection: Connection, exchange: Exchange): Connection => ({
  exchange,
  close: () => connection.close(),
  closed: connection.closed,
  credentials: connection.credentials,
  standing: connection.standing,
  silence: () => connection.silence?.(),
  ...(connection.replies === undefined ? {} : { replies: connection.replies }),
});
