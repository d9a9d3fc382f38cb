/** Some applications cut descriptions, and some models reject them. */
import { eachTool, type LintRule } from '../rule.ts';

/** The tighter limit is that of some models of OpenAI, which reject the whole request. */
const REJECTED = 1024;
const CUT = 2048;

export const longDescription: LintRule = {
  id: 'long-description',
  severity: 'warning',
  fix: 'Begin with what the tool does, and move details to the descriptions of its parameters.',
  check: eachTool(({ description = '' }) => {
    const { length } = description;
    if (length <= REJECTED) return undefined;
    const cut = length > CUT ? `; Claude Code cuts it at ${CUT.toLocaleString('en')}` : '';
    const limit = REJECTED.toLocaleString('en');
    return `has a description of ${length.toLocaleString('en')} characters; some OpenAI models accept ${limit}${cut}`;
  }),
};
