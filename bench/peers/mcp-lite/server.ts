/** The benchmark server with mcp-lite. */
import { McpServer } from 'mcp-lite';
import * as z from 'zod';
import { DESCRIPTION, SERVER, type Setup } from '../../work.ts';
import { berths, message, text, to } from '../zod-inputs.ts';

export function quay(setup: Setup): McpServer {
  const server = new McpServer({ ...SERVER, schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType) });
  server.tool('echo', { inputSchema: message, handler: (input) => text(input.message) });
  server.tool('count', {
    inputSchema: to,
    async handler(input, ctx) {
      for (let done = 1; done <= input.to; done++) await ctx.progress?.({ progress: done, total: input.to });
      return text(`counted to ${input.to}`);
    },
  });
  for (const { name, input } of berths(setup))
    server.tool(name, { description: DESCRIPTION, inputSchema: input, handler: () => text(name) });
  return server;
}
