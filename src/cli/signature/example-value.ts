/** A value that fits a schema, as small as it may be: what its author gives as an example, or else what the keywords ask for. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { HERE, resolveReference } from '../../schema/references.ts';
import { textMatching } from './example-pattern.ts';

const MAX_DEPTH = 12;
const MAX_ITEMS = 8;

/** A guess: callers check it against the schema. Undefined where there is none. */
export function exampleValue(schema: unknown, root: JsonObject, depth = 0): unknown {
  if (depth > MAX_DEPTH || schema === false) return undefined;
  const said = flattened(schema, root, depth);
  if ('const' in said) return said['const'];
  const { enum: choices, examples, default: usual, type } = said;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (usual !== undefined && usual !== null) return usual;
  if (Array.isArray(choices)) return choices[0];
  const [first] = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  const kind = first ?? (isObject(said['properties']) ? 'object' : said['items'] === undefined ? 'string' : 'array');
  if (kind === 'array') return arrayValue(said, root, depth);
  if (kind === 'object') return objectValue(said, root, depth);
  if (kind === 'boolean') return true;
  if (kind === 'null') return null;
  return kind === 'string' ? textValue(said) : numberValue(said, kind === 'integer');
}

/** With what it refers to, everything of allOf, and the first that can be of anyOf and oneOf. */
function flattened(schema: unknown, root: JsonObject, depth: number): JsonObject {
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const first = (list: unknown): unknown =>
    Array.isArray(list) ? list.find((one) => !isObject(one) || one['type'] !== 'null') : undefined;
  const referred = typeof $ref === 'string' ? resolveReference($ref, HERE, new Map([[HERE, root]]))?.schema : undefined;
  const parts = [referred, ...(Array.isArray(allOf) ? allOf : []), first(anyOf), first(oneOf)];
  return parts.map((part) => flattened(part, root, depth + 1)).reduce(merged, own);
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
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

function objectValue({ properties, required }: JsonObject, root: JsonObject, depth: number): unknown {
  const members = objectIn(properties);
  const names = (Array.isArray(required) ? required : []).filter((name) => typeof name === 'string');
  const values = names.map((name): [string, unknown] => [
    name,
    exampleValue(Object.hasOwn(members, name) ? members[name] : {}, root, depth + 1),
  ]);
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values);
}

function arrayValue({ items, prefixItems, minItems }: JsonObject, root: JsonObject, depth: number): unknown {
  const places = Array.isArray(prefixItems) ? prefixItems : [];
  const count = Math.max(typeof minItems === 'number' ? minItems : 1, places.length);
  if (count > MAX_ITEMS) return undefined;
  const values = Array.from({ length: count }, (_, at) => exampleValue(places[at] ?? items ?? {}, root, depth + 1));
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
  if (typeof pattern === 'string') return textMatching(pattern);
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
