/** Applications put the name of the server in front, and leave out tools whose names become too long. */
import { eachTool, type LintRule } from '../rule.ts';

const limits: readonly { readonly where: string; readonly max: number; prefix(server: string): string }[] = [
  { where: 'the APIs of OpenAI and Anthropic', max: 64, prefix: () => '' },
  { where: 'Claude Code', max: 64, prefix: (server) => `mcp__${server}__` },
  { where: 'Cursor', max: 59, prefix: (server) => server },
];

export const longName: LintRule = {
  id: 'long-name',
  severity: 'warning',
  fix: 'Shorten the name of the tool or of the server.',
  check: eachTool(({ name }, { server }) => {
    const label = (server?.name ?? '').replace(/[^\w-]+/g, '_');
    const over = limits.flatMap(({ where, max, prefix }) => {
      const { length } = prefix(label) + name;
      return length > max ? [`${length} characters in ${where}, which accepts ${max}`] : [];
    });
    return over.length === 0 ? undefined : `has ${over.join('; ')}`;
  }),
};
