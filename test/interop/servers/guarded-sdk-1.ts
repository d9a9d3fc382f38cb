/** A protected server with the official SDK, version 1, as its documentation does it. The argument is the issuer. Prints its URL. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express, { type RequestHandler } from 'express';
import { metadataOf, tokensOf } from '../authorization/verified.ts';

function shop(): McpServer {
  const server = new McpServer({ name: 'shop-sdk-1', version: '1.0.0' });
  server.registerTool('whoami', {}, ({ authInfo }) =>
    text(`${authInfo?.extra?.['sub']}: ${authInfo?.scopes.sort().join(' ')}`),
  );
  server.registerTool('refund', {}, () => text('refunded'));
  return server;
}

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

const issuer = process.argv[2] ?? '';
const http = createServer();
http.listen(0, '127.0.0.1');
await once(http, 'listening');
const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(url);
const verifyAccessToken = tokensOf(issuer, (why) => new InvalidTokenError(why));
const guard = (...requiredScopes: string[]): RequestHandler =>
  requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes, resourceMetadataUrl, expectedResource: url });
const [reading, writing] = [guard('orders:read'), guard('orders:read', 'orders:write')];

const sessions = new Map<string, StreamableHTTPServerTransport>();
const serve: RequestHandler = async (request, response) => {
  const id = request.headers['mcp-session-id'];
  let transport = typeof id === 'string' ? sessions.get(id) : undefined;
  if (transport === undefined) {
    const fresh = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, fresh),
    });
    transport = fresh;
    await shop().connect(fresh);
  }
  await transport.handleRequest(request, response, request.body);
};

const app = express();
app.use(
  mcpAuthMetadataRouter({
    oauthMetadata: await metadataOf(issuer),
    resourceServerUrl: url,
    scopesSupported: ['orders:read'],
  }),
);
app.use('/mcp', express.json(), (request, response, next) => {
  const writes = request.body?.method === 'tools/call' && request.body.params?.name === 'refund';
  (writes ? writing : reading)(request, response, next);
});
app.all('/mcp', serve);
http.on('request', app);
console.log(url.href);
