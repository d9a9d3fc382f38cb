/** tmcp over stdio, with an order described by zod or valibot. */
import { ValibotJsonSchemaAdapter } from '@tmcp/adapter-valibot';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { SERVER, setup } from '../../work.ts';
import { answerTo, inValibot, inZod } from '../order.ts';
import { underTest } from '../under-test.ts';
import { text } from '../zod-inputs.ts';

const about = { name: 'order', description: 'Takes an order' };
const capabilities = { tools: {} };
if (setup().schema === 'zod') {
  const server = new McpServer(
    { ...SERVER, description: 'Quay' },
    { adapter: new ZodJsonSchemaAdapter(), capabilities },
  );
  server.tool({ ...about, schema: inZod }, (order) => text(answerTo(order)));
  new StdioTransport(server).listen();
} else {
  const server = new McpServer(
    { ...SERVER, description: 'Quay' },
    { adapter: new ValibotJsonSchemaAdapter(), capabilities },
  );
  server.tool({ ...about, schema: inValibot }, (order) => text(answerTo(order)));
  new StdioTransport(server).listen();
}
underTest('stdio');
