/** The shop, and a client of it, with the official SDK, version 2. */
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { prices } from './prices.ts';

function createShop(): McpServer {
  // #region tool
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  const confirmation = z.object({ confirm: z.boolean() });
  server.registerTool(
    'refund',
    {
      description: 'Refund one order',
      inputSchema: z.object({ order: z.string() }),
      outputSchema: z.object({ order: z.string(), amount: z.number() }),
      annotations: { readOnlyHint: false, destructiveHint: true },
    },
    async ({ order }, { mcpReq }) => {
      const amount = prices.get(order);
      if (amount === undefined)
        return { isError: true, content: [{ type: 'text', text: `There is no order ${order}` }] };
      const answer = acceptedContent(mcpReq.inputResponses, 'sure', confirmation);
      if (mcpReq.inputResponses === undefined) {
        const progressToken = mcpReq._meta?.progressToken;
        if (progressToken !== undefined) {
          const params = { progressToken, progress: 1, total: 2, message: 'found' };
          await mcpReq.notify({ method: 'notifications/progress', params });
        }
        const sure = inputRequired.elicit({ message: `Refund ${amount}?`, requestedSchema: confirmation });
        return inputRequired({ inputRequests: { sure } });
      }
      if (answer?.confirm !== true)
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
  server.registerPrompt('apology', { argsSchema: z.object({ order: z.string() }) }, ({ order }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Apologise for ${order}.` } }],
  }));
  // #endregion
  return server;
}

// #region http
const answer = toNodeHandler(createMcpHandler(() => createShop()));
export const listener = createServer((request, response) => void answer(request, response));
// #endregion

/** Refunds an order, and says what came of it and how far it was heard to be. */
export async function refund(url: string): Promise<[text: string, progress: number[]]> {
  const seen: number[] = [];
  // #region client
  const client = new Client(
    { name: 'desk', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const result = await client.callTool(
    { name: 'refund', arguments: { order: 'A-1041' } },
    { onprogress: ({ progress }) => seen.push(progress) },
  );
  if (result.isError) throw new Error(JSON.stringify(result.content));
  const { amount } = z.object({ amount: z.number() }).parse(result.structuredContent);
  await client.close();
  // #endregion
  return [`${amount}`, seen];
}
