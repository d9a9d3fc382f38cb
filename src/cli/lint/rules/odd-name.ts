/** Models know names of these characters only; applications replace the others, or leave the tool out. */
import { eachTool, type LintRule } from '../rule.ts';

export const oddName: LintRule = {
  id: 'odd-name',
  severity: 'warning',
  fix: 'Use letters, digits, "_" and "-" only.',
  check: eachTool(({ name }) =>
    /^[\w-]+$/.test(name) ? undefined : 'has a name with characters that model APIs do not accept',
  ),
};
