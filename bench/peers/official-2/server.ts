/** The benchmark server with the official SDK, version 2. */
import { McpServer } from '@modelcontextprotocol/server';
import { DESCRIPTION, SERVER, type Setup } from '../../work.ts';
import { berths, message, text, to } from '../zod-inputs.ts';

/** Returns a factory, as the SDK needs one server per session or request. The inputs are created once. */
export function quays(setup: Setup): () => McpServer {
  const beside = berths(setup);
  return () => {
    const server = new McpServer(SERVER, { capabilities: { tools: { listChanged: true } } });
    server.registerTool('echo', { inputSchema: message }, (input) => text(input.message));
    server.registerTool('count', { inputSchema: to }, async (input, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let done = 1; done <= input.to && progressToken !== undefined; done++) {
        const params = { progressToken, progress: done, total: input.to };
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      return text(`counted to ${input.to}`);
    });
    for (const { name, input } of beside)
      server.registerTool(name, { description: DESCRIPTION, inputSchema: input }, () => text(name));
    return server;
  };
}
