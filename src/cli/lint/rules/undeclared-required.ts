/** A model cannot fill in what the schema does not describe. */
import { isObject } from '../../../jsonrpc/message.ts';
import { SchemaView } from '../../tool-arguments/schema-view.ts';
import { eachTool, type LintRule } from '../rule.ts';

export const undeclaredRequired: LintRule = {
  id: 'undeclared-required',
  severity: 'error',
  fix: 'Declare the parameter in "properties", or remove it from "required".',
  check: eachTool(({ inputSchema }) => {
    const view = new SchemaView(isObject(inputSchema) ? inputSchema : {});
    const missing = view.required.filter((name) => view.declared(name) === undefined);
    return missing.length === 0 ? undefined : `requires ${missing.join(', ')}, which "properties" does not declare`;
  }),
};
