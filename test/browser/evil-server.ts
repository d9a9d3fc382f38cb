/** A server that must receive nothing: records all connections and datagrams. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface EvilServer {
  readonly port: number;
  /** The first bytes of each; empty for a connection without data. */
  readonly heard: readonly string[];
  forget(): void;
  close(): Promise<void>;
}

/** Responds with a script that would report itself. */
const answer = [
  'HTTP/1.1 200 OK',
  'Access-Control-Allow-Origin: *',
  'Content-Type: text/javascript',
  'Content-Length: 17',
  'Connection: close',
  '',
  'var fromEvil = 1;',
].join('\r\n');

export async function evilServer(): Promise<EvilServer> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const index = heard.push('') - 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      heard[index] = String(data).split('\r\n', 1)[0] ?? '';
      socket.end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens
  const datagrams = createSocket('udp4', (data) => void heard.push(`datagram of ${data.length} bytes`));
  datagrams.bind(port, '127.0.0.1');
  await once(datagrams, 'listening');
  return {
    port,
    heard,
    forget: () => void heard.splice(0),
    async close() {
      for (const socket of sockets) socket.destroy();
      datagrams.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
