/** mcporter, one command per call. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Product } from '../product.ts';

export const mcporter: Product = {
  name: 'mcporter',
  title: 'mcporter',
  package: 'mcporter',
  transports: ['stdio', 'http', 'sse'],
  limits: [
    { check: 'list change', outcome: 'not tried', because: 'a session ends with its call' },
    { check: 'question', outcome: 'cannot be asked', because: 'mcporter does not declare elicitation' },
  ],
  async drive({ transport, reach, project, bin, run }) {
    const entry = 'url' in reach ? { baseUrl: reach.url } : reach;
    const lots = { ...entry, ...(transport === 'sse' ? { transport } : {}) };
    const config = join(project, 'mcporter.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { lots }, imports: [] }));
    const call = async (...args: string[]): Promise<string> =>
      (await run(bin('mcporter'), ['--config', config, 'call', ...args])).stdout;
    return { output: [await call('lots.draw_lot', 'hat=blue'), await call('lots.greet_user')].join('\n') };
  },
};
