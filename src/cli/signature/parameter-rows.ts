/** The members of a schema, a row each: `days?: integer` and what is said about it. Members of members by the path that is typed. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import type { Row } from '../columns.ts';
import { SchemaView } from '../tool-arguments/schema-view.ts';
import { constraintsOf } from './constraints.ts';
import { inlineType } from './inline-type.ts';

const MAX_DEPTH = 3;
const MAX_ROWS = 60;

export function parameterRows(schema: JsonObject): readonly Row[] {
  const rows: Row[] = [];
  for (const row of rowsIn(new SchemaView(schema), { root: schema, path: '', depth: 0 })) {
    if (rows.length === MAX_ROWS) return [...rows, ['…', 'and more; --json has the whole schema']];
    rows.push(row);
  }
  return rows;
}

interface RowPlace {
  readonly root: JsonObject;
  /** With the dot or brackets that end it. */
  readonly path: string;
  readonly depth: number;
}

/** One by one: members of members can be more than are shown. */
function* rowsIn(view: SchemaView, { root, path, depth }: RowPlace): Generator<Row> {
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
    if (hasRows) yield* rowsIn(inner, { root, path: `${path}${key}${step}`, depth: depth + 1 });
  }
}

function aboutOf(view: SchemaView): string {
  const { description = '' } = view;
  const limits = constraintsOf(view);
  const text = description.replace(/\s+/g, ' ').trim();
  if (limits === '') return text;
  return text === '' ? limits : `${text} (${limits})`;
}
