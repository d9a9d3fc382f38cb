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
  const rows = rowsIn(new SchemaView(schema), { root: schema, path: '', depth: 0 });
  const left = rows.length - MAX_ROWS;
  return left <= 0 ? rows : [...rows.slice(0, MAX_ROWS), ['…', `and ${left} more; --json has the whole schema`]];
}

interface RowPlace {
  readonly root: JsonObject;
  /** With the dot or brackets that end it. */
  readonly path: string;
  readonly depth: number;
}

function rowsIn(view: SchemaView, { root, path, depth }: RowPlace): readonly Row[] {
  const required = new Set(view.required);
  return view.keys.flatMap((key) => {
    const member = view.declared(key) ?? new SchemaView({}, root);
    const inner = member.keys.length > 0 ? member : member.items;
    const step = member.keys.length > 0 ? '.' : '[].';
    // Members that get rows of their own are not written out as well.
    const below = depth < MAX_DEPTH ? rowsIn(inner, { root, path: `${path}${key}${step}`, depth: depth + 1 }) : [];
    const type = inlineType(member.schema, root, below.length > 0 ? 0 : 1);
    const name = `${path}${key}${required.has(key) ? '' : '?'}`;
    return [[printable(`${name}: ${type}`), printable(aboutOf(member))] as const, ...below];
  });
}

function aboutOf(view: SchemaView): string {
  const { description = '' } = view;
  const limits = constraintsOf(view);
  const text = description.replace(/\s+/g, ' ').trim();
  if (limits === '') return text;
  return text === '' ? limits : `${text} (${limits})`;
}
