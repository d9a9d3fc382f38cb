/** The quay with fastmcp. Pings and the question for roots are off: nobody else asks them. */
import { FastMCP } from 'fastmcp';
import { DESCRIPTION, SERVER, type Setup } from '../../work.ts';
import { berths, message, to } from '../zod-inputs.ts';

const silent = (): void => undefined;
/** Its own would write to stdout, also where that belongs to the protocol. */
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
