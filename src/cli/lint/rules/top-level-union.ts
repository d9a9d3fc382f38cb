/** One such tool makes whole requests fail. */
import { isObject } from '../../../jsonrpc/message.ts';
import { eachTool, type LintRule } from '../rule.ts';

export const topLevelUnion: LintRule = {
  id: 'top-level-union',
  severity: 'warning',
  fix: 'Make the root one object with optional properties, and check the combination in the tool.',
  check: eachTool(({ inputSchema }) => {
    if (!isObject(inputSchema)) return undefined;
    const found = ['anyOf', 'oneOf', 'allOf'].filter((keyword) => keyword in inputSchema);
    if (found.length === 0) return undefined;
    return `has ${found.join(' and ')} at the root of its inputSchema, which the Claude API rejects`;
  }),
};
