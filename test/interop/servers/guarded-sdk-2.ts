/** A protected server with the official SDK, version 2, as its documentation does it. The argument is the issuer. Prints its URL. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
  requireBearerAuth,
} from '@modelcontextprotocol/express';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, OAuthError, OAuthErrorCode, requireScopes } from '@modelcontextprotocol/server';
import express from 'express';
import { metadataOf, tokensOf } from '../authorization/verified.ts';

function shop(): McpServer {
  const server = new McpServer({ name: 'shop-sdk-2', version: '1.0.0' });
  server.registerTool('whoami', {}, ({ http: caller }) =>
    text(`${caller?.authInfo?.extra?.['sub']}: ${caller?.authInfo?.scopes.sort().join(' ')}`),
  );
  const scopeChallenge = requireScopes('orders:read', 'orders:write');
  server.registerTool('refund', { scopeChallenge }, () => text('refunded'));
  return server;
}

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

const issuer = process.argv[2] ?? '';
const http = createServer();
http.listen(0, '127.0.0.1');
await once(http, 'listening');
const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(url);
const verifyAccessToken = tokensOf(issuer, (why) => new OAuthError(OAuthErrorCode.InvalidToken, why));
const requiredScopes = ['orders:read'];
const guard = requireBearerAuth({
  verifier: { verifyAccessToken },
  requiredScopes,
  resourceMetadataUrl,
  expectedResource: url,
});

const app = express();
app.use(
  mcpAuthMetadataRouter({
    oauthMetadata: await metadataOf(issuer),
    resourceServerUrl: url,
    scopesSupported: ['orders:read'],
  }),
);
const answer = toNodeHandler(createMcpHandler(() => shop()));
// Its type does not allow an optional property to be undefined.
app.all('/mcp', guard, (request, response) => void answer(request as Parameters<typeof answer>[0], response));
http.on('request', app);
console.log(url.href);
