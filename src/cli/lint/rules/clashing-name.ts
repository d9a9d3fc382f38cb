/** Names that differ only in characters that applications replace, or in case, become one. */
import { eachTool, type LintRule } from '../rule.ts';

export const clashingName: LintRule = {
  id: 'clashing-name',
  severity: 'warning',
  fix: 'Choose names that differ in their letters and digits.',
  check: eachTool(({ name }, { tools }) => {
    const twins = tools.filter((one) => one.name !== name && folded(one.name) === folded(name)).map((one) => one.name);
    return twins.length === 0 ? undefined : `has almost the name of ${[...new Set(twins)].join(', ')}`;
  }),
};

const folded = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '_');
