/** Claude Code in print mode, with a server from `--mcp-config`. A hook answers questions, because print mode dismisses them. */
import type { Product } from '../product.ts';

const answer = { hookSpecificOutput: { hookEventName: 'Elicitation', action: 'accept', content: { name: 'Ada' } } };
const hook = { type: 'command', command: `printf %s '${JSON.stringify(answer)}'` };
const settings = JSON.stringify({ hooks: { Elicitation: [{ hooks: [hook] }] } });

export const claudeCode: Product = {
  name: 'claude-code',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  transports: ['stdio', 'http', 'sse'],
  limits: [],
  async drive({ transport, reach, bin, model, run }) {
    const entry = 'url' in reach ? { type: transport, url: reach.url } : { type: 'stdio', ...reach };
    const config = JSON.stringify({ mcpServers: { lots: entry } });
    const servers = ['--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__lots'];
    const env = {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Passes all tools to the model at once, instead of after a search.
      ENABLE_TOOL_SEARCH: 'false',
    };
    const { stdout } = await run(bin('claude'), ['-p', 'Draw a lot', ...servers, '--settings', settings], { env });
    return { output: stdout };
  },
};
