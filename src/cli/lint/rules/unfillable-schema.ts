/** Every call of such a tool fails. */
import { isObject } from '../../../jsonrpc/message.ts';
import { eachTool, type LintRule } from '../rule.ts';
import { type Unfillable, whyUnfillable } from '../unfillable.ts';

const matching = (kind: Unfillable['kind']): LintRule['check'] =>
  eachTool(({ inputSchema }) => {
    const found = isObject(inputSchema) ? whyUnfillable(inputSchema, inputSchema) : undefined;
    if (found?.kind !== kind) return undefined;
    return found.path === ''
      ? `accepts no arguments: its schema ${found.why}`
      : `cannot be called: ${found.path} ${found.why}`;
  });

export const unfillableSchema: LintRule = {
  id: 'unfillable-schema',
  severity: 'error',
  fix: 'Correct the limits, so that at least one value fits.',
  check: matching('contradiction'),
};

export const endlessSchema: LintRule = {
  id: 'endless-schema',
  severity: 'error',
  fix: 'Make the property that refers back optional, or allow an empty array or null.',
  check: matching('endless'),
};
