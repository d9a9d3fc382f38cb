/** A proxy that is a command: it runs in this process as it does in its own, in front of a server over stdio. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setup } from '../work.ts';
import { underTest } from './under-test.ts';

const PATIENCE_MS = 60_000;
const LOOK_MS = 50;

/** `args` are those of the command, for a port and the program of a server over stdio. */
export async function commandProxy(module: string, args: (port: string, server: string) => string[]): Promise<void> {
  const port = await freePort();
  const [node = '', program = ''] = process.argv;
  const server = setup().servers['stdio'] ?? '';
  process.argv = [node, program, ...args(`${port}`, server)];
  await import(module);
  for (const until = performance.now() + PATIENCE_MS; !(await canConnect(port)); ) {
    if (performance.now() > until) throw new Error(`${module} does not listen`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  underTest(`http://127.0.0.1:${port}/mcp`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  server.close();
  await once(server, 'close');
  return port;
}

function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
