/** A server that must hear nothing: it counts every connection and every datagram, and keeps how each began. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface EvilServer {
  readonly port: number;
  /** What came, by its first bytes; an empty text for a connection without any. */
  readonly heard: readonly string[];
  forget(): void;
  close(): Promise<void>;
}

/** Answers whatever is asked with a script that would tell on itself. */
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
