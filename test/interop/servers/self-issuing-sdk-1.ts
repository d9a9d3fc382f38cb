/** A server that issues its own tokens, with the router and provider of the official SDK, version 1. Prints its URL. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DemoInMemoryAuthProvider } from '@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';

function shop(): McpServer {
  const server = new McpServer({ name: 'shop-sdk-1', version: '1.0.0' });
  server.registerTool('whoami', {}, ({ authInfo }) => ({
    content: [{ type: 'text' as const, text: `${authInfo?.scopes.join(' ')} at ${authInfo?.resource?.href}` }],
  }));
  return server;
}

const http = createServer();
http.listen(0, '127.0.0.1');
await once(http, 'listening');
const issuerUrl = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
const provider = new DemoInMemoryAuthProvider();

const app = express();
app.use(mcpAuthRouter({ provider, issuerUrl, scopesSupported: ['orders:read'] }));
// Without sessions, each request has its own server.
app.all('/mcp', requireBearerAuth({ verifier: provider }), async (request, response) => {
  const transport = new StreamableHTTPServerTransport({});
  await shop().connect(transport);
  await transport.handleRequest(request, response);
});
http.on('request', app);
console.log(new URL('/mcp', issuerUrl).href);
