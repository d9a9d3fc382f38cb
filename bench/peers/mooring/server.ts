/** The benchmark server with Mooring. */
import { createServer, type Server, tool } from 'mooring';
import { DESCRIPTION, SERVER, type Setup } from '../../work.ts';
import { berths, message, to } from '../zod-inputs.ts';

export function quay(setup: Setup): Server {
  const echo = tool({ name: 'echo', input: message, run: (input) => input.message });
  const count = tool({
    name: 'count',
    input: to,
    run(input, ctx) {
      for (let done = 1; done <= input.to; done++) ctx.progress(done, input.to);
      return `counted to ${input.to}`;
    },
  });
  const beside = berths(setup).map(({ name, input }) =>
    tool({ name, description: DESCRIPTION, input, run: () => name }),
  );
  return createServer({ ...SERVER, maxListeners: setup.listeners, parts: [echo, count, ...beside] });
}
