/** A model fills in what it can only guess from a name. */
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts';
import { SchemaView } from '../../tool-arguments/schema-view.ts';
import { eachTool, type LintRule } from '../rule.ts';

const MAX_SHOWN = 8;
const MAX_DEPTH = 3;

export const parameterDescription: LintRule = {
  id: 'parameter-description',
  severity: 'warning',
  fix: 'Give each parameter a description: what it means, its unit or format, an example.',
  check: eachTool(({ inputSchema }) => {
    const silent = undescribed(new SchemaView(isObject(inputSchema) ? inputSchema : {}), '', 0);
    if (silent.length === 0) return undefined;
    const more = silent.length > MAX_SHOWN ? ` and ${silent.length - MAX_SHOWN} more` : '';
    return `has ${silent.length === 1 ? 'a parameter' : 'parameters'} without a description: ${silent.slice(0, MAX_SHOWN).join(', ')}${more}`;
  }),
};

/** Members of an object are described by their own texts; one value to choose from says all there is. */
function undescribed(view: SchemaView, path: string, depth: number): readonly string[] {
  return view.keys.flatMap((key) => {
    const member = view.declared(key) ?? new SchemaView({});
    const inner = member.keys.length > 0 ? member : member.items;
    const below = depth < MAX_DEPTH ? undescribed(inner, `${path}${key}.`, depth + 1) : [];
    const says = textOf(member, 'description') || textOf(member, 'title') || 'const' in objectOf(member.schema);
    return says || inner.keys.length > 0 ? below : [`${path}${key}`, ...below];
  });
}

function textOf(view: SchemaView, keyword: string): boolean {
  const text = view.keyword(keyword) ?? view.items.keyword(keyword);
  return typeof text === 'string' && text.trim() !== '';
}

const objectOf = (schema: unknown): JsonObject => (isObject(schema) ? schema : {});
