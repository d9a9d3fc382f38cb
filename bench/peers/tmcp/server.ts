/** The benchmark server with tmcp. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import type { ZodType } from 'zod';
import { DESCRIPTION, SERVER, type Setup } from '../../work.ts';
import { berths, message, text, to } from '../zod-inputs.ts';

export function quay(setup: Setup): McpServer<ZodType> {
  const server = new McpServer(
    { ...SERVER, description: 'Quay' },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
  );
  server.tool({ name: 'echo', description: 'Echoes', schema: message }, (input) => text(input.message));
  server.tool({ name: 'count', description: 'Counts', schema: to }, (input) => {
    for (let done = 1; done <= input.to; done++) server.progress(done, input.to);
    return text(`counted to ${input.to}`);
  });
  for (const { name, input } of berths(setup))
    server.tool({ name, description: DESCRIPTION, schema: input }, () => text(name));
  return server;
}
