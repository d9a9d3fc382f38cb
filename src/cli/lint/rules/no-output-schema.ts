/** A result without a schema is text that models and programs have to parse. */
import { eachTool, type LintRule } from '../rule.ts';

export const noOutputSchema: LintRule = {
  id: 'no-output-schema',
  severity: 'warning',
  fix: 'Declare outputSchema, and return the data as structuredContent.',
  check: eachTool(({ description = '', outputSchema }) =>
    outputSchema === undefined && /\breturn(?:s|ed|ing)?\b[^.\n]{0,60}\bJSON\b/i.test(description)
      ? 'says that it returns JSON, and has no outputSchema'
      : undefined,
  ),
};
