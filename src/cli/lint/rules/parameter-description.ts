/** A model fills in what it can only guess from a name. */
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts';
import { ReadingBudget } from '../../../schema/reading-budget.ts';
import { SchemaView } from '../../tool-arguments/schema-view.ts';
import { eachTool, type LintRule } from '../rule.ts';

const MAX_SHOWN = 8;
const MAX_DEPTH = 3;

export const parameterDescription: LintRule = {
  id: 'parameter-description',
  severity: 'warning',
  fix: 'Give each parameter a description: what it means, its unit or format, an example.',
  check: eachTool(({ inputSchema }) => {
    const place = { path: '', depth: 0, budget: new ReadingBudget() };
    const silent = undescribed(new SchemaView(isObject(inputSchema) ? inputSchema : {}), place);
    if (silent.length === 0) return undefined;
    const more = silent.length > MAX_SHOWN ? ` and ${silent.length - MAX_SHOWN} more` : '';
    return `has ${silent.length === 1 ? 'a parameter' : 'parameters'} without a description: ${silent.slice(0, MAX_SHOWN).join(', ')}${more}`;
  }),
};

interface MemberPlace {
  /** With the dot that ends it. */
  readonly path: string;
  readonly depth: number;
  readonly budget: ReadingBudget;
}

/** Members of an object are described by their own texts; one value to choose from says all there is. */
function undescribed(view: SchemaView, { path, depth, budget }: MemberPlace): readonly string[] {
  return view.keys.flatMap((key) => {
    if (!budget.take()) return [];
    const member = view.declared(key) ?? new SchemaView({});
    const inner = member.keys.length > 0 ? member : member.items;
    const below = depth < MAX_DEPTH ? undescribed(inner, { path: `${path}${key}.`, depth: depth + 1, budget }) : [];
    const says = textOf(member, 'description') || textOf(member, 'title') || 'const' in objectOf(member.schema);
    return says || inner.keys.length > 0 ? below : [`${path}${key}`, ...below];
  });
}

function textOf(view: SchemaView, keyword: string): boolean {
  const text = view.keyword(keyword) ?? view.items.keyword(keyword);
  return typeof text === 'string' && text.trim() !== '';
}

const objectOf = (schema: unknown): JsonObject => (isObject(schema) ? schema : {});
