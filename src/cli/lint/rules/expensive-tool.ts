/** Every request that offers a tool pays for its definition. */
import { tokensOf } from '../definition-checks.ts';
import { eachTool, type LintRule } from '../rule.ts';

/** Ten times what most tools take. */
const MAX_TOKENS = 1500;

export const expensiveTool: LintRule = {
  id: 'expensive-tool',
  severity: 'warning',
  fix: 'Shorten the description and the schema, or split the tool.',
  check: eachTool((tool) => {
    const tokens = tokensOf(tool);
    return tokens <= MAX_TOKENS
      ? undefined
      : `costs about ${tokens.toLocaleString('en')} tokens in every request that offers it`;
  }),
};
