/** Our protected server on a socket. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BearerOptions, type BearerRejection, bearer } from '../../../src/auth/index.ts';
import { createServer, tool } from '../../../src/index.ts';
import { nodeHandler } from '../../../src/transport/node.ts';

export interface Protected extends AsyncDisposable {
  readonly url: string;
  readonly refusals: readonly BearerRejection[];
  /** Scheme and token of each request. */
  readonly shown: readonly string[];
}

export type Judging = Omit<BearerOptions, 'audience'>;

const whoami = tool({
  name: 'whoami',
  run: (_, { auth }) => `${auth?.subject ?? auth?.clientId}: ${[...(auth?.scopes ?? [])].sort().join(' ')}`,
});
const refund = tool({ name: 'refund', scopes: ['orders:write'], run: () => 'refunded' });

export async function protectedServer(judging: Judging, revisions?: readonly string[]): Promise<Protected> {
  const parts = [whoami, refund];
  const server = createServer({ name: 'shop', version: '1.0.0', parts, ...(revisions && { revisions }) });
  const http = createHttpServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // it listens on a port
  const refusals: BearerRejection[] = [];
  const shown: string[] = [];
  const auth = bearer({
    scopes: ['orders:read'],
    ...judging,
    audience: url,
    onRejected: (one) => void refusals.push(one),
  });
  const handler = nodeHandler(server, { path: '/mcp', auth });
  http.on('request', (request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined && request.url === '/mcp') shown.push(authorization);
    handler(request, response);
  });
  return {
    url,
    refusals,
    shown,
    async [Symbol.asyncDispose]() {
      await handler.close(0);
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
