/** A minimal stdio server with fastmcp. */
import { FastMCP } from 'fastmcp';
import * as z from 'zod';

const server = new FastMCP({ name: 'quay', version: '1.0.0' });
server.addTool({
  name: 'echo',
  parameters: z.object({ message: z.string() }),
  execute: async ({ message }) => message,
});
await server.start({ transportType: 'stdio' });
