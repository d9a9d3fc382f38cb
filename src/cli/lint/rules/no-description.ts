/** A model chooses a tool by its description. */
import { eachTool, type LintRule } from '../rule.ts';

export const noDescription: LintRule = {
  id: 'no-description',
  severity: 'error',
  fix: 'Say in one or two sentences what the tool does, when to use it and what it returns.',
  check: eachTool(({ name, description = '' }) => {
    if (description.trim() === '') return 'has no description';
    return wordsOf(description) === wordsOf(name) ? 'has a description that repeats the name' : undefined;
  }),
};

const wordsOf = (text: string): string =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
