/** mcp-remote, a command that forwards messages to a URL, called by Mooring's client. */
import { connect } from '../../../src/connect/index.ts';
import type { Product } from '../product.ts';

export const mcpRemote: Product = {
  name: 'mcp-remote',
  title: 'mcp-remote',
  package: 'mcp-remote',
  transports: ['http', 'sse'],
  limits: [],
  async drive({ transport, reach, home, bin }) {
    if (!('url' in reach)) throw new Error('mcp-remote needs a URL');
    const args = [reach.url, '--allow-http', '--transport', `${transport}-only`];
    await using client = await connect(
      { command: bin('mcp-remote'), args, env: { HOME: home } },
      {
        // It starts slowly, and a slow command is treated as one of an older revision.
        probeTimeoutMs: 60_000,
        connectTimeoutMs: 60_000,
        elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      },
    );
    const said = [(await client.call('draw_lot', { hat: 'blue' })).text];
    const watched = client.watch({ tools: true });
    const changed = watched[Symbol.asyncIterator]().next();
    await watched.granted;
    await client.call('open_cellar');
    await changed;
    said.push((await client.call('cellar_lot')).text, (await client.call('greet_user')).text);
    return { output: said.join('\n') };
  },
};
