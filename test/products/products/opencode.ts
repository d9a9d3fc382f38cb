/** opencode with one message; provider and server are in the project's opencode.json. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Product } from '../product.ts';

export const opencode: Product = {
  name: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  transports: ['stdio', 'http', 'sse'],
  limits: [{ check: 'question', outcome: 'cannot be asked', because: 'opencode does not declare elicitation' }],
  async drive({ reach, project, bin, model, run }) {
    const entry =
      'url' in reach ? { type: 'remote', url: reach.url } : { type: 'local', command: [reach.command, ...reach.args] };
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: `${model}/v1`, apiKey: 'scripted' },
      models: { scripted: { name: 'Scripted' } },
    };
    const config = {
      autoupdate: false,
      share: 'disabled',
      model: 'scripted/scripted',
      provider: { scripted: provider },
      mcp: { lots: entry },
    };
    writeFileSync(join(project, 'opencode.json'), JSON.stringify(config));
    const env = { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' };
    const { stdout } = await run(bin('opencode'), ['run', 'Draw a lot'], { env });
    return { output: stdout };
  },
};
