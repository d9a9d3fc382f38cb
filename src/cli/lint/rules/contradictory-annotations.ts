/** Hosts that trust the annotations would not ask before such a call. */
import { eachTool, type LintRule } from '../rule.ts';

/** Words at the start of a name that no tool has that only reads. */
const destroying = /^(?:delete|remove|drop|erase|destroy|purge|wipe|truncate)(?![a-z])/;

export const contradictoryAnnotations: LintRule = {
  id: 'contradictory-annotations',
  severity: 'error',
  fix: 'Correct readOnlyHint; in a server made with Mooring, `effects`.',
  check: eachTool(({ name, annotations }) => {
    if (annotations?.readOnlyHint !== true) return undefined;
    if (annotations.destructiveHint === true) return 'states both readOnlyHint and destructiveHint';
    return destroying.test(name) ? 'states readOnlyHint, and its name says that it deletes' : undefined;
  }),
};
