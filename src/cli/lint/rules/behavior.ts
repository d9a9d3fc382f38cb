/** Lint rules for annotations and output schemas. */
import { type LintRule, toolRule } from '../rule.ts';

/** Verbs that a read-only tool's name does not begin with. */
const destroying = /^(?:delete|remove|drop|erase|destroy|purge|wipe|truncate)(?![a-z])/;

/** Hosts that trust `readOnlyHint` would not ask the user before a call that deletes. */
export const contradictoryAnnotations: LintRule = toolRule('error', 'contradictory-annotations', {
  fix: 'Correct readOnlyHint (in a server made with Mooring: `effects`).',
  check({ name, annotations }) {
    if (annotations?.readOnlyHint !== true) return undefined;
    if (annotations.destructiveHint === true) return 'sets both readOnlyHint and destructiveHint';
    return destroying.test(name) ? 'sets readOnlyHint, but its name says that it deletes' : undefined;
  },
});

/** Without annotations, clients assume the worst and ask the user before every call. */
export const noAnnotations: LintRule = toolRule('warning', 'no-annotations', {
  fix: 'Set readOnlyHint, and destructiveHint if the tool changes data (in a server made with Mooring: `effects`).',
  check: ({ annotations }) =>
    annotations?.readOnlyHint === undefined && annotations?.destructiveHint === undefined
      ? 'does not state whether it changes data'
      : undefined,
});

/** Programs rely on a declared output. */
export const missingOutput: LintRule = toolRule('error', 'missing-output', {
  fix: 'Return structuredContent, or remove outputSchema.',
  check: ({ name, outputSchema }, { withoutData = [] }) =>
    outputSchema !== undefined && withoutData.includes(name)
      ? 'declares an output schema, but returned no structuredContent when it was called'
      : undefined,
});

/** A result without a schema is text that models and programs have to parse. */
export const noOutputSchema: LintRule = toolRule('warning', 'no-output-schema', {
  fix: 'Declare outputSchema, and return the data as structuredContent.',
  check: ({ description = '', outputSchema }) =>
    outputSchema === undefined && /\breturn(?:s|ed|ing)?\b[^.\n]{0,60}\bJSON\b/i.test(description)
      ? 'says that it returns JSON, but has no outputSchema'
      : undefined,
});
