/** Finds tools that declare an output and do not return it: programs depend on it. */
import { eachTool, type LintRule } from '../rule.ts';

export const missingOutput: LintRule = {
  id: 'missing-output',
  severity: 'error',
  fix: 'Return structuredContent, or remove outputSchema.',
  check: eachTool(({ name, outputSchema }, { withoutData = [] }) =>
    outputSchema !== undefined && withoutData.includes(name)
      ? 'declares an output schema, and returned no data when it was called'
      : undefined,
  ),
};
