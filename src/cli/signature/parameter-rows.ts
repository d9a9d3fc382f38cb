/** The members of a schema, a row each: `days?: integer` and what is said about it. Members of members by the path that is typed. */
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

/** One by one: members of members can be more than are shown. `path` has the dot or brackets that end it. */
function* rowsIn(view: SchemaView, root: JsonObject, path: string, depth: number): Generator<Row> {
  const required = new Set(view.required);
  for (const key of view.keys) {
    const member = view.declared(key) ?? new SchemaView({}, root);
    const inner = member.keys.length > 0 ? member : member.items;
    const step = member.keys.length > 0 ? '.' : '[].';
    const hasRows = depth < MAX_DEPTH && inner.keys.length > 0;
    // Members that get rows of their own are not written out as well.
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

/** What a schema demands beyond its type, such as `1 to 90, default 30`; empty where there is nothing to say. */
export function constraintsOf(view: SchemaView): string {
  const said = (name: string): unknown => view.keyword(name);
  const parts = [
    range(said, numberKeys, ''),
    range(said, { least: 'minLength', most: 'maxLength' }, ' characters'),
    range(said, { least: 'minItems', most: 'maxItems' }, ' items'),
    ...texts(said),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

type Said = (keyword: string) => unknown;

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

function range(said: Said, { least, most, above = '', below = '' }: RangeKeys, unit: string): string {
  const [from, to, over, under] = [said(least), meaningful(said(most)), said(above), meaningful(said(below))];
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

/** Libraries write the limits of their integers into every schema. */
const meaningful = (limit: unknown): number | undefined =>
  typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? limit : undefined;

function texts(said: Said): readonly string[] {
  const [pattern, format, step, usual] = [said('pattern'), said('format'), said('multipleOf'), said('default')];
  return [
    ...(typeof format === 'string' ? [`format ${format}`] : []),
    // A format says it better than the pattern that libraries make of it.
    ...(typeof pattern === 'string' && format === undefined ? [`matches ${pattern}`] : []),
    ...(typeof step === 'number' ? [`a multiple of ${step}`] : []),
    ...(said('uniqueItems') === true ? ['no duplicates'] : []),
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ...(said('deprecated') === true ? ['deprecated'] : []),
  ];
}
