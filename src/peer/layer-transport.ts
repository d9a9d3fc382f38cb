/** Layers around everything that a client sends, and what they have for everything that it gets. */
import type { Connection, Exchange, Layer, Transport } from './exchange.ts';

/** The same transport with layers around the exchange of each of its connections, outermost first. */
export function layerTransport(transport: Transport, layers: readonly Layer[]): Transport {
  if (layers.length === 0) return transport;
  return async (inbound, session) => {
    const received = layers.reduceRight((next, layer) => layer.inbound?.(next) ?? next, inbound);
    const line = await transport(received, session);
    return connectionWith(
      line,
      layers.reduceRight((next, layer) => layer(next, line.closed), line.exchange),
    );
  };
}

/** The same connection, whose messages go through another exchange. */
export const connectionWith = (line: Connection, exchange: Exchange): Connection => ({
  exchange,
  close: () => line.close(),
  closed: line.closed,
  credentials: line.credentials,
  standing: line.standing,
  ...(line.replies === undefined ? {} : { replies: line.replies }),
});
