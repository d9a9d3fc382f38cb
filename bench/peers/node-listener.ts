/** Listens with `node:http`, for peers that bring a handler. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function listen(handler: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, handler);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`; // it listens on a port, not on a pipe
}
