/** A server under Deno: the built package with `Deno.serve`. Prints its port, then events of `wait`. */
import { createServer, httpHandler, tool } from 'mooring';
import { deno } from './deno.ts';

const count = tool({
  name: 'count',
  description: 'Reports progress so often',
  input: { type: 'object', properties: { to: { type: 'integer', minimum: 1 } }, required: ['to'] },
  run({ to }, ctx) {
    for (let n = 1; n <= Number(to); n++) ctx.progress(n, Number(to));
    return `counted to ${to}`;
  },
});

const sure = tool({
  name: 'sure',
  description: 'Asks the user',
  run: async (_input, ctx) => ((await ctx.confirm('sure', 'Sure?')) ? 'yes' : 'no'),
});

const wait = tool({
  name: 'wait',
  description: 'Waits until it is called off',
  async run(_input, ctx) {
    ctx.progress(1);
    console.log('waiting');
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    console.log('called off');
    return 'too late';
  },
});

const server = createServer({ name: 'deno', version: '1.0.0', parts: [count, sure, wait] });
deno.serve(
  { port: 0, hostname: '127.0.0.1', onListen: ({ port }) => console.log(port) },
  httpHandler(server, { maxBodyBytes: 65_536 }),
);
