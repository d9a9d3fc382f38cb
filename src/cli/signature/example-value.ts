/** Generates a small example value for a schema: its `examples`, `default` or `enum`, else a value from its keywords. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ReadingBudget } from '../../schema/reading-budget.ts';
import { resolveLocalRef } from '../../schema/references.ts';

const MAX_DEPTH = 12;
const MAX_ITEMS = 8;

/** Best effort: callers validate the result. Undefined if none was found, such as for a pattern. */
export const exampleValue = (schema: unknown, root: JsonObject): unknown =>
  exampleAt(schema, { root, depth: 0, budget: new ReadingBudget() });

interface ExamplePlace {
  readonly root: JsonObject;
  readonly depth: number;
  readonly budget: ReadingBudget;
}

const deeper = (place: ExamplePlace): ExamplePlace => ({ ...place, depth: place.depth + 1 });

function exampleAt(schema: unknown, place: ExamplePlace): unknown {
  if (place.depth > MAX_DEPTH || schema === false || !place.budget.take()) return undefined;
  const merged = flatten(schema, place);
  if ('const' in merged) return merged['const'];
  const { enum: choices, examples, default: usual, type } = merged;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (usual !== undefined && usual !== null) return usual;
  if (Array.isArray(choices)) return choices[0];
  const [first] = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  const kind =
    first ?? (isObject(merged['properties']) ? 'object' : merged['items'] === undefined ? 'string' : 'array');
  if (kind === 'array') return arrayValue(merged, deeper(place));
  if (kind === 'object') return objectValue(merged, deeper(place));
  if (kind === 'boolean') return true;
  if (kind === 'null') return null;
  return kind === 'string' ? textValue(merged) : numberValue(merged, kind === 'integer');
}

/** Merges a schema with its `$ref`, all of `allOf`, and the first usable choice of `anyOf` and `oneOf`. */
function flatten(schema: unknown, place: ExamplePlace): JsonObject {
  const { root, depth, budget } = place;
  if (!isObject(schema) || depth > MAX_DEPTH || !budget.take()) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const first = (list: unknown): unknown =>
    Array.isArray(list) ? list.find((one) => !isObject(one) || one['type'] !== 'null') : undefined;
  const parts = [resolveLocalRef(root, $ref), ...(Array.isArray(allOf) ? allOf : []), first(anyOf), first(oneOf)];
  return parts.map((part) => flatten(part, deeper(place))).reduce(mergeSchemas, own);
}

function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...objectIn(other['properties']), ...objectIn(one['properties']) };
  const required = [one['required'], other['required']].flatMap((list) => (Array.isArray(list) ? list : []));
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

function objectValue({ properties, required }: JsonObject, place: ExamplePlace): unknown {
  const members = objectIn(properties);
  const names = (Array.isArray(required) ? required : []).filter((name) => typeof name === 'string');
  const values = names.map((name): [string, unknown] => [
    name,
    exampleAt(Object.hasOwn(members, name) ? members[name] : {}, place),
  ]);
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values);
}

function arrayValue({ items, prefixItems, minItems }: JsonObject, place: ExamplePlace): unknown {
  const places = Array.isArray(prefixItems) ? prefixItems : [];
  const count = Math.max(typeof minItems === 'number' ? minItems : 1, places.length);
  if (count > MAX_ITEMS) return undefined;
  const values = Array.from({ length: count }, (_, at) => exampleAt(places[at] ?? items ?? {}, place));
  return values.includes(undefined) ? undefined : values;
}

const MOMENT = '2026-01-31T12:00:00Z';

const formats: ReadonlyMap<string, string> = new Map([
  ['date', MOMENT.slice(0, 10)],
  ['date-time', MOMENT],
  ['time', '12:00:00Z'],
  ['duration', 'PT1H'],
  ['email', 'ada@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['uri-reference', '/path'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);

function textValue({ format, pattern, minLength, maxLength }: JsonObject): string | undefined {
  const known = typeof format === 'string' ? formats.get(format) : undefined;
  if (known !== undefined) return known;
  if (typeof pattern === 'string') return undefined;
  const text = 'text'.padEnd(typeof minLength === 'number' ? Math.min(minLength, 200) : 0, ' text');
  return typeof maxLength === 'number' ? text.slice(0, maxLength) : text;
}

function numberValue(schema: JsonObject, whole: boolean): number {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
  const gap = whole ? 1 : Math.min(step, 0.5);
  let value = 1;
  if (typeof maximum === 'number') value = Math.min(value, maximum);
  if (typeof below === 'number') value = Math.min(value, below - gap);
  if (typeof minimum === 'number') value = Math.max(value, minimum);
  if (typeof above === 'number') value = Math.max(value, above + gap);
  if (typeof multipleOf === 'number') return Math.ceil(value / step) * step;
  return whole ? Math.ceil(value) : value;
}
