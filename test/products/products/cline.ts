/** Cline's command line with one prompt, its own provider, and a server in its settings. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Product } from '../product.ts';

export const cline: Product = {
  name: 'cline',
  title: 'Cline CLI',
  package: 'cline',
  transports: ['stdio', 'http', 'sse'],
  limits: [
    { check: 'list change', outcome: 'not listed again', because: 'Cline lists once for each session' },
    { check: 'question', outcome: 'cannot be asked', because: 'Cline does not declare elicitation' },
  ],
  async drive({ transport, reach, home, bin, model, run }) {
    const types = { stdio: 'stdio', http: 'streamableHttp', sse: 'sse' };
    const settings = join(home, '.cline/data/settings');
    mkdirSync(settings, { recursive: true });
    const entry = { type: types[transport], ...reach };
    writeFileSync(join(settings, 'cline_mcp_settings.json'), JSON.stringify({ mcpServers: { lots: entry } }));
    const env = { CLINE_TELEMETRY_DISABLED: '1' };
    const provider = ['-p', 'openai', '-k', 'scripted', '-m', 'scripted', '-b', `${model}/v1`];
    await run(bin('cline'), ['auth', ...provider], { env });
    const { stdout } = await run(bin('cline'), ['--json', 'Draw a lot'], { env });
    return { output: stdout };
  },
};
