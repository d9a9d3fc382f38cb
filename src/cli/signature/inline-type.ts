/** Formats a JSON Schema as a one-line TypeScript type, for display. Long parts are replaced by `…`. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ReadingBudget } from '../../schema/reading-budget.ts';
import { resolveLocalRef } from '../../schema/references.ts';
import {
  atom,
  combinedType,
  literal,
  never,
  propertyKey,
  type TypeText,
  typesIn,
  union,
  unknown,
} from '../types/type-text.ts';

/** Nesting depth to which object members are spelled out. */
const MAX_LEVELS = 3;
/** Limits all other nesting, including recursive schemas. */
const MAX_DEPTH = 12;
const MAX_CHOICES = 12;
const MAX_MEMBERS = 8;

/** With `levels` 0, an object is `object`. */
export const inlineType = (schema: unknown, root: JsonObject, levels: number = MAX_LEVELS): string =>
  typeOf(schema, { root, levels, depth: 0, budget: new ReadingBudget() }).text;

interface TypePlace {
  readonly root: JsonObject;
  readonly levels: number;
  readonly depth: number;
  readonly budget: ReadingBudget;
}

function typeOf(schema: unknown, outer: TypePlace): TypeText {
  if (schema === false) return never;
  if (!isObject(schema)) return unknown;
  const place = { ...outer, depth: outer.depth + 1 };
  const { root, depth, budget } = place;
  if (depth > MAX_DEPTH || !budget.take()) return atom('…');
  const write = (one: unknown): TypeText => typeOf(one, place);
  return combinedType([write(resolveLocalRef(root, schema['$ref'])), ownType(schema, place)], schema, write);
}

/** The type from the schema's own keywords, without `$ref` and combinations. */
function ownType(schema: JsonObject, place: TypePlace): TypeText {
  if ('const' in schema) return literal(schema['const']);
  const { enum: choices } = schema;
  if (Array.isArray(choices)) {
    const more = choices.length > MAX_CHOICES ? [atom('…')] : [];
    return union([...choices.slice(0, MAX_CHOICES).map(literal), ...more]);
  }
  return union(typesIn(schema).map((one) => plainType(one, schema, place)));
}

function plainType(type: unknown, schema: JsonObject, place: TypePlace): TypeText {
  if (type === 'array') {
    const { text, rank } = typeOf(Array.isArray(schema['items']) ? {} : schema['items'], place);
    return atom(rank > 0 ? `(${text})[]` : `${text}[]`);
  }
  if (type === 'object') return objectType(schema, place);
  return typeof type === 'string' ? atom(type) : unknown;
}

function objectType({ properties, required, additionalProperties }: JsonObject, place: TypePlace): TypeText {
  if (place.levels === 0) return atom('object');
  const inner = (schema: unknown): string => typeOf(schema, { ...place, levels: place.levels - 1 }).text;
  const members = Object.entries(isObject(properties) ? properties : {});
  if (members.length === 0)
    return atom(isObject(additionalProperties) ? `{ [key: string]: ${inner(additionalProperties)} }` : 'object');
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const texts = members
    .slice(0, MAX_MEMBERS)
    .map(([name, one]) => `${propertyKey(name)}${needed.includes(name) ? '' : '?'}: ${inner(one)}`);
  return atom(`{ ${[...texts, ...(members.length > MAX_MEMBERS ? ['…'] : [])].join(', ')} }`);
}
