/** The official SDK, version 1, over its in-memory transport. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { SERVER, setup, type ToolResult, textOf } from '../../work.ts';
import { memoryUnderTest } from '../memory-under-test.ts';
import { quays } from './server.ts';

const [ours, theirs] = InMemoryTransport.createLinkedPair();
await quays(setup())().connect(theirs);
const client = new Client(SERVER);
await client.connect(ours);
memoryUnderTest(async (message) => {
  const result = await client.callTool({ name: 'echo', arguments: { message } });
  return textOf(result as ToolResult); // checked by textOf
});
