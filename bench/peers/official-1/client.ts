/** The client of the official SDK, version 1. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { SERVER, setup, type ToolResult, textOf } from '../../work.ts';
import { clientUnderTest, type Echo } from '../client-under-test.ts';

const settings = setup();

async function open(server: string): Promise<Echo> {
  const client = new Client(SERVER);
  const args = [server, JSON.stringify({ era: settings.era })];
  const transport = server.startsWith('http')
    ? new StreamableHTTPClientTransport(new URL(server))
    : new StdioClientTransport({ command: process.execPath, args });
  await client.connect(transport as Transport); // its types do not know exactOptionalPropertyTypes
  return async (message) => textOf((await client.callTool({ name: 'echo', arguments: { message } })) as ToolResult); // checked by textOf
}

await clientUnderTest(settings, open);
