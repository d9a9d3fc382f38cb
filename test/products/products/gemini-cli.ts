/** Gemini CLI with one prompt, and a server in the user settings. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Product } from '../product.ts';

export const geminiCli: Product = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  transports: ['stdio', 'http', 'sse'],
  limits: [{ check: 'question', outcome: 'cannot be asked', because: 'Gemini CLI does not declare elicitation' }],
  async drive({ transport, reach, home, bin, model, run }) {
    const { url } = 'url' in reach ? reach : { url: '' };
    const entry = 'command' in reach ? reach : transport === 'sse' ? { url } : { httpUrl: url };
    const settings = {
      mcpServers: { lots: { ...entry, trust: true } },
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
    };
    mkdirSync(join(home, '.gemini'));
    writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
    const env = { GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    const args = ['-m', 'gemini-2.5-flash', '--skip-trust', '-p', 'Draw a lot'];
    const { stdout } = await run(bin('gemini'), args, { env });
    return { output: stdout };
  },
};
