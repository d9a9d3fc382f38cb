/** The official SDK, version 2, over stdio, with an order described by each schema library. */
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { SERVER, setup } from '../../work.ts';
import { answerTo, inJson, inValibotWithJson, inZod, type Order } from '../order.ts';
import { underTest } from '../under-test.ts';
import { text } from '../zod-inputs.ts';

const server = new McpServer(SERVER);
const { schema } = setup();
if (schema === 'zod') server.registerTool('order', { inputSchema: inZod }, (order) => text(answerTo(order)));
else if (schema === 'valibot')
  server.registerTool('order', { inputSchema: inValibotWithJson }, (order) => text(answerTo(order)));
else {
  const inputSchema = fromJsonSchema<Order>(structuredClone(inJson) as never); // its type wants mutable arrays
  server.registerTool('order', { inputSchema }, (order) => text(answerTo(order)));
}
await server.connect(new StdioServerTransport());
underTest('stdio');
