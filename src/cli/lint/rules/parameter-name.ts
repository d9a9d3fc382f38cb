/** One such name makes whole requests fail. */
import { isObject } from '../../../jsonrpc/message.ts';
import { eachTool, type LintRule } from '../rule.ts';

const accepted = /^[\w.-]{1,64}$/;

export const parameterName: LintRule = {
  id: 'parameter-name',
  severity: 'warning',
  fix: 'Use letters, digits, "_", "." and "-", at most 64 characters.',
  check: eachTool(({ inputSchema }) => {
    const { properties } = isObject(inputSchema) ? inputSchema : {};
    const odd = Object.keys(isObject(properties) ? properties : {}).filter((name) => !accepted.test(name));
    if (odd.length === 0) return undefined;
    return `has ${odd.length === 1 ? 'a parameter name' : 'parameter names'} that the Claude API rejects: ${odd.map((name) => JSON.stringify(name)).join(', ')}`;
  }),
};
