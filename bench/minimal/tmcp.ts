/** A minimal stdio server with tmcp. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { tool } from 'tmcp/utils';
import * as z from 'zod';

const server = new McpServer(
  { name: 'quay', version: '1.0.0', description: 'Quay' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
const schema = z.object({ message: z.string() });
server.tool({ name: 'echo', description: 'Echoes', schema }, ({ message }) => tool.text(message));
new StdioTransport(server).listen();
