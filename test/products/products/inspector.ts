/** The Inspector's command line, one run per call. */
import type { Product } from '../product.ts';

export const inspector: Product = {
  name: 'inspector',
  title: 'Inspector CLI',
  package: '@modelcontextprotocol/inspector',
  transports: ['stdio', 'http', 'sse'],
  limits: [
    { check: 'list change', outcome: 'not tried', because: 'a session of the command line ends with its call' },
    {
      check: 'question',
      outcome: 'cannot be asked',
      because: "the Inspector's command line does not declare elicitation",
    },
  ],
  async drive({ transport, reach, bin, run }) {
    const target = 'url' in reach ? [reach.url, '--transport', transport] : [reach.command, ...reach.args];
    const call = async (...args: string[]): Promise<string> => {
      const method = ['--method', 'tools/call', '--tool-name', ...args, '--protocol-era', 'auto'];
      return (await run(bin('mcp-inspector'), ['--cli', ...target, ...method])).stdout;
    };
    // Exit code 6 means that a schema is invalid for some model providers.
    await run(bin('mcp-inspector'), ['--cli', ...target, '--method', 'tools/list', '--strict']);
    return { output: [await call('draw_lot', '--tool-arg', 'hat=blue'), await call('greet_user')].join('\n') };
  },
};
