/** The benchmark server with fastmcp. Pings and `roots/list` are off, as no other peer sends them. */
import { FastMCP } from 'fastmcp';
import { DESCRIPTION, SERVER, type Setup } from '../../work.ts';
import { berths, message, to } from '../zod-inputs.ts';

const silent = (): void => undefined;
/** The default logger writes to stdout, which stdio needs for the protocol. */
const logger = { debug: silent, error: console.error, info: silent, log: silent, warn: silent };

export function quay(setup: Setup): FastMCP {
  const server = new FastMCP({ ...SERVER, logger, ping: { enabled: false }, roots: { enabled: false } });
  server.addTool({ name: 'echo', parameters: message, execute: async (input) => input.message });
  server.addTool({
    name: 'count',
    parameters: to,
    async execute(input, { reportProgress }) {
      for (let done = 1; done <= input.to; done++) await reportProgress({ progress: done, total: input.to });
      return `counted to ${input.to}`;
    },
  });
  for (const { name, input } of berths(setup))
    server.addTool({ name, description: DESCRIPTION, parameters: input, execute: async () => name });
  return server;
}
