/** The benchmark server with the official SDK, version 1. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { DESCRIPTION, SERVER, type Setup } from '../../work.ts';
import { berths, message, text, to } from '../zod-inputs.ts';

/** Returns a factory, as the SDK needs one server per session or request. The inputs are created once. */
export function quays(setup: Setup): () => McpServer {
  const beside = berths(setup);
  return () => {
    const server = new McpServer(SERVER, { capabilities: { tools: { listChanged: true } } });
    server.registerTool('echo', { inputSchema: message.shape }, (input) => text(input.message));
    server.registerTool('count', { inputSchema: to.shape }, async (input, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (let done = 1; done <= input.to && progressToken !== undefined; done++) {
        const params = { progressToken, progress: done, total: input.to };
        await extra.sendNotification({ method: 'notifications/progress', params });
      }
      return text(`counted to ${input.to}`);
    });
    for (const { name, input } of beside)
      server.registerTool(name, { description: DESCRIPTION, inputSchema: input.shape }, () => text(name));
    return server;
  };
}
