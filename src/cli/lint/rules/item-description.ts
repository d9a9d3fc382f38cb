/** Users choose a prompt, and models a template, by what it says about itself. */
import type { LintRule } from '../rule.ts';

export const itemDescription: LintRule = {
  id: 'item-description',
  severity: 'warning',
  fix: 'Give it a description or a title.',
  check: ({ prompts, templates }) => [
    ...prompts.filter(isSilent).map(({ name }) => ({ item: `prompt ${name}`, found: 'has no description' })),
    ...templates
      .filter(isSilent)
      .map(({ uriTemplate }) => ({ item: `template ${uriTemplate}`, found: 'has no description' })),
  ],
};

const isSilent = ({ description = '', title = '' }: { description?: string; title?: string }): boolean =>
  `${description}${title}`.trim() === '';
