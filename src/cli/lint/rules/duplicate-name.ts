/** Of two tools with one name, clients keep one. */
import { eachTool, type LintRule } from '../rule.ts';

export const duplicateName: LintRule = {
  id: 'duplicate-name',
  severity: 'error',
  fix: 'Rename one of them; names must be unique within a server.',
  check: (subject) => {
    const found = eachTool(({ name }) => {
      const count = subject.tools.filter((one) => one.name === name).length;
      return count > 1 ? `is listed ${count} times` : undefined;
    })(subject);
    return found.filter(({ item }, at) => found.findIndex((one) => one.item === item) === at);
  },
};
