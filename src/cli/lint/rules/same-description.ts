/** Between two tools that say the same, a model guesses. */
import { eachTool, type LintRule } from '../rule.ts';

export const sameDescription: LintRule = {
  id: 'same-description',
  severity: 'warning',
  fix: 'Say in each description what distinguishes the tool from the others.',
  check: eachTool(({ name, description = '' }, { tools }) => {
    const text = description.trim();
    const twins = tools.filter((one) => one.name !== name && one.description?.trim() === text).map((one) => one.name);
    return text === '' || twins.length === 0 ? undefined : `has the same description as ${twins.join(', ')}`;
  }),
};
