/** A proxy with the official SDK, version 1: one server and one client per session. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { SERVER, setup } from '../../work.ts';
import { listen } from '../node-listener.ts';
import { underTest } from '../under-test.ts';

const settings = setup();
const sessions = new Map<string, StreamableHTTPServerTransport>();

async function opened(): Promise<StreamableHTTPServerTransport> {
  const client = new Client(SERVER);
  const upstream = new StreamableHTTPClientTransport(new URL(settings.servers['upstream'] ?? ''));
  await client.connect(upstream as Transport); // its types do not know exactOptionalPropertyTypes
  const server = new Server(SERVER, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params));
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => client.listTools(params));
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (session) => void sessions.set(session, transport),
  });
  await server.connect(transport as Transport); // as above
  return transport;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id'];
  const known = typeof id === 'string' ? sessions.get(id) : undefined;
  if (known === undefined && id !== undefined) response.writeHead(404).end();
  else await (known ?? (await opened())).handleRequest(request, response);
}

underTest(await listen((request, response) => void answer(request, response)));
