/** Without annotations, clients assume the worst and ask the user before every call. */
import { eachTool, type LintRule } from '../rule.ts';

export const noAnnotations: LintRule = {
  id: 'no-annotations',
  severity: 'warning',
  fix: 'State readOnlyHint, and destructiveHint if the tool changes data; a server made with Mooring states `effects`.',
  check: eachTool(({ annotations }) =>
    annotations?.readOnlyHint === undefined && annotations?.destructiveHint === undefined
      ? 'does not state whether it changes data'
      : undefined,
  ),
};
