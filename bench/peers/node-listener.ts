/** Listens with `node:http`, for peers that export a request handler. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export async function listen(handler: Handler): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void handler(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`; // a TCP listener has an AddressInfo
}
