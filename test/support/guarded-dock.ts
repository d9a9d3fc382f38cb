/** An MCP server on a socket that verifies tokens, and the authorization server that issues them. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BearerOptions, type BearerRejection, bearer, jwt } from '../../src/auth/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { type Clock, systemClock } from '../../src/peer/clock.ts';
import type { Servable } from '../../src/peer/exchange.ts';
import { type NodeHandlerOptions, nodeHandler } from '../../src/transport/node.ts';
import type { AuthorizationServer, AuthorizationServerOptions } from './authorization-server.ts';
import { listeningAuthorizationServer } from './listening.ts';

export interface DockOptions {
  readonly issuing?: Omit<AuthorizationServerOptions, 'issuer'>;
  readonly bearer?: Partial<BearerOptions>;
  /** Created from the issuer, in place of signature checks. */
  readonly verify?: (issuer: string) => BearerOptions['verify'];
  readonly http?: NodeHandlerOptions;
  /** Whether tokens are valid for the whole origin. */
  readonly wide?: boolean;
}

export interface Dock extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly issuer: AuthorizationServer;
  readonly refusals: BearerRejection[];
  /** An `authorization` header with a token for this server. */
  as(claims: JsonObject): Promise<{ authorization: string }>;
  /** Advances the clock of the server, but not its timers. */
  later(ms: number): void;
}

export async function dock(server: Servable, options: DockOptions = {}): Promise<Dock> {
  const auth = await listeningAuthorizationServer(options.issuing);
  const issuer = auth.auth;
  const http = createHttpServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // it listens on a port
  const url = `${origin}/mcp`;
  const refusals: BearerRejection[] = [];
  let ahead = 0;
  const clock: Clock = { ...systemClock, wall: () => systemClock.wall() + ahead };
  const verify = options.verify?.(issuer.issuer) ?? jwt({ issuer: issuer.issuer });
  const judge = bearer({
    verify,
    audience: options.wide === true ? origin : url,
    clock,
    onRejected: (one) => void refusals.push(one),
    ...options.bearer,
  });
  const handler = nodeHandler(server, { path: '/mcp', sse: '/sse', auth: judge, ...options.http });
  http.on('request', (request, response) => handler(request, response));
  return {
    url,
    origin,
    issuer,
    refusals,
    as: async (claims) => ({ authorization: `Bearer ${await issuer.issue({ aud: url, ...claims })}` }),
    later: (ms) => {
      ahead += ms;
    },
    async [Symbol.asyncDispose]() {
      await handler.close(0);
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await auth[Symbol.asyncDispose]();
    },
  };
}
