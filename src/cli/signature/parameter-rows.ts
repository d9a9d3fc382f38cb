/** Table rows for the members of a schema: `days?: integer` and its description. Nested members are named by path. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import type { Row } from '../columns.ts';
import { SchemaView } from '../tool-arguments/schema-view.ts';
import { inlineType } from './inline-type.ts';

const MAX_DEPTH = 3;
const MAX_ROWS = 60;

export function parameterRows(schema: JsonObject): readonly Row[] {
  const rows: Row[] = [];
  for (const row of rowsIn(new SchemaView(schema), schema, '', 0)) {
    if (rows.length === MAX_ROWS) return [...rows, ['…', 'and more; --json has the whole schema']];
    rows.push(row);
  }
  return rows;
}

/** Lazy, because a recursive schema has more rows than are shown. `path` ends with `.` or `[].`. */
function* rowsIn(view: SchemaView, root: JsonObject, path: string, depth: number): Generator<Row> {
  const required = new Set(view.required);
  for (const key of view.keys) {
    const member = view.declared(key) ?? new SchemaView({}, root);
    const inner = member.keys.length > 0 ? member : member.items;
    const step = member.keys.length > 0 ? '.' : '[].';
    const hasRows = depth < MAX_DEPTH && inner.keys.length > 0;
    // Does not spell out nested members in the type if they get their own rows.
    const type = inlineType(member.schema, root, hasRows ? 0 : 1);
    const name = `${path}${key}${required.has(key) ? '' : '?'}`;
    yield [printable(`${name}: ${type}`), printable(aboutOf(member))];
    if (hasRows) yield* rowsIn(inner, root, `${path}${key}${step}`, depth + 1);
  }
}

function aboutOf(view: SchemaView): string {
  const { description = '' } = view;
  const limits = constraintsOf(view);
  const text = description.replace(/\s+/g, ' ').trim();
  if (limits === '') return text;
  return text === '' ? limits : `${text} (${limits})`;
}

/** Constraints beyond the type, such as `1 to 90, default 30`. */
export function constraintsOf(view: SchemaView): string {
  const keyword = (name: string): unknown => view.keyword(name);
  const parts = [
    rangeText(keyword, numberKeys, ''),
    rangeText(keyword, { least: 'minLength', most: 'maxLength' }, ' characters'),
    rangeText(keyword, { least: 'minItems', most: 'maxItems' }, ' items'),
    ...otherTexts(keyword),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

type ReadKeyword = (name: string) => unknown;

interface RangeKeys {
  readonly least: string;
  readonly most: string;
  readonly above?: string;
  readonly below?: string;
}

const numberKeys: RangeKeys = {
  least: 'minimum',
  most: 'maximum',
  above: 'exclusiveMinimum',
  below: 'exclusiveMaximum',
};

function rangeText(keyword: ReadKeyword, { least, most, above = '', below = '' }: RangeKeys, unit: string): string {
  const [from, to, over, under] = [
    keyword(least),
    meaningful(keyword(most)),
    keyword(above),
    meaningful(keyword(below)),
  ];
  const low = typeof from === 'number' && !(from === 0 && unit !== '') ? meaningful(from) : undefined;
  const counted = (count: number): string => `${count}${count === 1 ? unit.replace(/s$/, '') : unit}`;
  if (low !== undefined && to !== undefined) return low === to ? counted(low) : `${low} to ${counted(to)}`;
  const parts = [
    ...(low === undefined ? [] : [`at least ${counted(low)}`]),
    ...(to === undefined ? [] : [`at most ${counted(to)}`]),
    ...(meaningful(over) === undefined ? [] : [`more than ${String(over)}`]),
    ...(under === undefined ? [] : [`less than ${under}`]),
  ];
  return parts.join(', ');
}

/** Undefined for limits at the safe-integer range, which schema libraries add to every integer. */
const meaningful = (limit: unknown): number | undefined =>
  typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? limit : undefined;

function otherTexts(keyword: ReadKeyword): readonly string[] {
  const [pattern, format, step, usual] = ['pattern', 'format', 'multipleOf', 'default'].map(keyword);
  return [
    ...(typeof format === 'string' ? [`format ${format}`] : []),
    // Schema libraries add a long pattern to each format.
    ...(typeof pattern === 'string' && format === undefined ? [`matches ${pattern}`] : []),
    ...(typeof step === 'number' ? [`a multiple of ${step}`] : []),
    ...(keyword('uniqueItems') === true ? ['no duplicates'] : []),
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ...(keyword('deprecated') === true ? ['deprecated'] : []),
  ];
}
