/** fastmcp with the official client, version 1, in the same process, as its documentation does it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { SERVER, setup, type ToolResult, textOf } from '../../work.ts';
import { memoryUnderTest } from '../memory-under-test.ts';
import { quay } from './server.ts';

const [ours, theirs] = InMemoryTransport.createLinkedPair();
const client = new Client(SERVER);
await Promise.all([quay(setup()).connect(theirs), client.connect(ours)]);
memoryUnderTest(async (message) => {
  const result = await client.callTool({ name: 'echo', arguments: { message } });
  return textOf(result as ToolResult); // checked by textOf
});
