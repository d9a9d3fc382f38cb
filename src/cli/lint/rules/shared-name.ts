/** A host shows several servers to one model: tools of the same name are mixed up. */
import { eachTool, type LintRule } from '../rule.ts';

export const sharedName: LintRule = {
  id: 'shared-name',
  severity: 'warning',
  fix: 'Choose a name that says what the tool works on, or prefix the names of the server.',
  check: eachTool(({ name }, { others = [] }) =>
    others.some((one) => one.name === name) ? 'has the name of a tool of another server' : undefined,
  ),
};
