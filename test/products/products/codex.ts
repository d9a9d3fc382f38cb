/** Codex, first non-interactive and then as editors use it, with a provider and a server in its config.toml. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Product } from '../product.ts';
import { askThroughCodex } from './codex-questions.ts';

export const codex: Product = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  transports: ['stdio', 'http'],
  limits: [{ check: 'list change', outcome: 'not listed again', because: 'Codex lists once for each session' }],
  async drive({ reach, home, project, bin, model, run }) {
    // JSON strings and lists of strings are valid TOML.
    const entries = Object.entries({ ...reach, default_tools_approval_mode: 'approve' });
    const config = [
      'model = "scripted"',
      'model_provider = "scripted"',
      '[model_providers.scripted]',
      'name = "Scripted"',
      `base_url = ${JSON.stringify(`${model}/v1`)}`,
      'wire_api = "responses"',
      '[mcp_servers.lots]',
      ...entries.map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    ];
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex/config.toml'), `${config.join('\n')}\n`);
    const { stdout } = await run(bin('codex'), ['exec', '--skip-git-repo-check', 'Draw a lot']);
    // `exec` declines every question.
    const env = { PATH: process.env['PATH'], HOME: home };
    return { output: `${stdout}\n${await askThroughCodex(bin('codex'), { cwd: project, env, prompt: 'Draw a lot' })}` };
  },
};
