/** Hosts warn of such a definition, or do not show it to models. */
import { attacksIn } from '../definition-checks.ts';
import { type LintRule, type RuleMatch, toolItem } from '../rule.ts';

export const suspiciousText: LintRule = {
  id: 'suspicious-text',
  severity: 'error',
  fix: 'Describe what the item does, and give no instructions to the model beyond its use.',
  check: ({ tools, prompts, templates, instructions }) => [
    ...tools.flatMap((tool) => matchesIn(toolItem(tool), tool)),
    ...prompts.flatMap((prompt) => matchesIn(`prompt ${prompt.name}`, prompt)),
    ...templates.flatMap((template) => matchesIn(`template ${template.uriTemplate}`, template)),
    ...(instructions === undefined ? [] : matchesIn('the instructions', { description: instructions })),
  ],
};

const matchesIn = (item: string, definition: object): readonly RuleMatch[] =>
  attacksIn({ ...definition }).map((found) => ({ item, found }));
