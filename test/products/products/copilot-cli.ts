/** Copilot CLI with one prompt, its own provider, and a server from `--additional-mcp-config`. */
import type { Product } from '../product.ts';

export const copilotCli: Product = {
  name: 'copilot-cli',
  title: 'Copilot CLI',
  package: '@github/copilot',
  transports: ['stdio', 'http', 'sse'],
  limits: [{ check: 'question', outcome: 'declined', because: 'Copilot CLI declines where it has no terminal' }],
  async drive({ transport, reach, bin, model, run }) {
    const entry = 'url' in reach ? { type: transport, url: reach.url } : { type: 'local', ...reach };
    const config = JSON.stringify({ mcpServers: { lots: { ...entry, tools: ['*'] } } });
    const env = {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: 'scripted',
      COPILOT_MODEL: 'scripted',
    };
    const args = ['-p', 'Draw a lot', '--allow-all-tools', '--additional-mcp-config', config, '--no-auto-update'];
    const { stdout } = await run(bin('copilot'), args, { env });
    return { output: stdout };
  },
};
