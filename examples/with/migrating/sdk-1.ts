/** The shop, and a client of it, with the official SDK, version 1. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { confirmation, prices } from './prices.ts';

/** A server for each session: what one side holds cannot be another's. */
function createShop(): McpServer {
  // #region tool
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool(
    'refund',
    {
      description: 'Refund one order',
      inputSchema: { order: z.string() },
      outputSchema: { order: z.string(), amount: z.number() },
      annotations: { readOnlyHint: false, destructiveHint: true },
    },
    async ({ order }, extra) => {
      const amount = prices.get(order);
      if (amount === undefined)
        return { isError: true, content: [{ type: 'text', text: `There is no order ${order}` }] };
      const progressToken = extra._meta?.progressToken;
      if (progressToken !== undefined) {
        const params = { progressToken, progress: 1, total: 2, message: 'found' };
        await extra.sendNotification({ method: 'notifications/progress', params });
      }
      const answer = await server.server.elicitInput(
        { message: `Refund ${amount}?`, requestedSchema: confirmation },
        { relatedRequestId: extra.requestId, signal: extra.signal },
      );
      if (answer.action !== 'accept' || answer.content?.['confirm'] !== true)
        return { isError: true, content: [{ type: 'text', text: 'The customer declined' }] };
      const structuredContent = { order, amount };
      return { content: [{ type: 'text', text: `Refunded ${amount} on ${order}` }], structuredContent };
    },
  );
  // #endregion
  // #region resource
  const complete = { id: (start: string) => [...prices.keys()].filter((id) => id.startsWith(start)) };
  server.registerResource(
    'order',
    new ResourceTemplate('orders://{id}', { list: undefined, complete }),
    { mimeType: 'application/json' },
    (uri, { id }) => {
      const price = prices.get(String(id));
      if (price === undefined) throw new Error(`There is no order ${id}`);
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id, price }) }] };
    },
  );
  server.registerPrompt('apology', { argsSchema: { order: z.string() } }, ({ order }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Apologise for ${order}.` } }],
  }));
  // #endregion
  return server;
}

// #region http
const sessions = new Map<string, StreamableHTTPServerTransport>();

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id'];
  let transport = typeof id === 'string' ? sessions.get(id) : undefined;
  if (transport === undefined && id !== undefined) {
    response.writeHead(404).end();
    return;
  }
  if (transport === undefined) {
    const fresh = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, fresh),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await createShop().connect(fresh);
    transport = fresh;
  }
  await transport.handleRequest(request, response);
}
export const listener = createServer((request, response) => void serve(request, response));
// #endregion

/** Refunds an order, and says what came of it and how far it was heard to be. */
export async function refund(url: string): Promise<[text: string, progress: number[]]> {
  const seen: number[] = [];
  // #region client
  const client = new Client({ name: 'desk', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { confirm: true } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const result = await client.callTool({ name: 'refund', arguments: { order: 'A-1041' } }, undefined, {
    onprogress: ({ progress }) => seen.push(progress),
  });
  if (result.isError) throw new Error(JSON.stringify(result.content));
  const { amount } = z.object({ amount: z.number() }).parse(result.structuredContent);
  await client.close();
  // #endregion
  return [`${amount}`, seen];
}
