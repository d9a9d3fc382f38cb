/** Limits the connections per address. An excess connection gets an error without being read. */
import { Buffer } from 'node:buffer';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { RpcError } from '../../errors.ts';
import { failure, INTERNAL_ERROR } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { CallerCounts, networkKey } from './caller-counts.ts';
import { JSON_TYPE } from './view.ts';

/** Time for the client to read the error: closing while the client sends would reset the connection and lose the response. */
const LINGER_MS = 1_000;

export function limitConnections(listener: Server, limit: number, clock: Clock): void {
  const counts = new CallerCounts(limit);
  // The HTTP server's own listeners, which get only accepted connections.
  const accepting = listener.listeners('connection');
  listener.removeAllListeners('connection');
  listener.on('connection', (socket: Socket) => {
    const network = networkKey(socket.remoteAddress);
    if (counts.isFull(network)) {
      rejectConnection(socket, limit, clock);
      return;
    }
    counts.add(network);
    socket.once('close', () => counts.remove(network));
    for (const accept of accepting) accept.call(listener, socket);
  });
}

function rejectConnection(socket: Socket, limit: number, clock: Clock): void {
  const why = `Too many connections: ${limit} from this address are open (maxConnectionsPerAddress)`;
  const body = JSON.stringify(failure(undefined, new RpcError(INTERNAL_ERROR, why)));
  const head = ['HTTP/1.1 429 Too Many Requests', `Content-Type: ${JSON_TYPE}`, 'Retry-After: 1', 'Connection: close'];
  const stop = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', stop).on('error', () => undefined);
  socket.resume().end([...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'));
}
