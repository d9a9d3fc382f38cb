/** Runs a proxy command in this process, in front of a server over stdio. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setup } from '../work.ts';
import { underTest } from './under-test.ts';

const TIMEOUT_MS = 60_000;
const LOOK_MS = 50;

/** `args` builds the arguments of the command from a port and the program of the server. */
export async function commandProxy(module: string, args: (port: string, server: string) => string[]): Promise<void> {
  const port = await freePort();
  const [node = '', program = ''] = process.argv;
  const server = setup().servers['stdio'] ?? '';
  process.argv = [node, program, ...args(`${port}`, server)];
  await import(module);
  for (const until = performance.now() + TIMEOUT_MS; !(await canConnect(port)); ) {
    if (performance.now() > until) throw new Error(`${module} does not listen`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  underTest(`http://127.0.0.1:${port}/mcp`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP listener has an AddressInfo
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
