/** Limits how many clients run at once. The suite starts all clients of a set together, and they would time out. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';

export interface Gate extends AsyncDisposable {
  readonly port: number;
}

export async function openGate(places: number = availableParallelism()): Promise<Gate> {
  const waiting: Socket[] = [];
  let inside = 0;
  const next = (): void => {
    while (inside < places && waiting.length > 0) {
      inside++;
      waiting.shift()?.write('go');
    }
  };
  const server = createServer((socket) => {
    waiting.push(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      const at = waiting.indexOf(socket);
      if (at === -1) inside--;
      else waiting.splice(at, 1);
      next();
    });
    next();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
