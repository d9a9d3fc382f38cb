/** The keywords of JSON Schema 2020-12, and the translation of draft-07 into them. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';

/** What a keyword holds: one subschema, a list of them, or a map from names to them. */
type SubschemaPlace = 'one' | 'list' | 'map';
/** What the value of a keyword must be, as text and as a predicate. */
type KeywordShape = readonly [expected: string, test: (value: unknown) => boolean];

const isText = (value: unknown): value is string => typeof value === 'string';
const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const types: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const isType = (value: unknown): boolean =>
  types.has(value) || (isNames(value) && value.length > 0 && value.every((name) => types.has(name)));

const text: KeywordShape = ['a string', isText];
const flag: KeywordShape = ['true or false', (value) => typeof value === 'boolean'];
const bound: KeywordShape = ['a number', Number.isFinite];
const count: KeywordShape = [
  'a whole number that is not negative',
  (value) => Number.isInteger(value) && Number(value) >= 0,
];

const rows = <T>(value: T, keywords: string): [string, T][] => keywords.split(' ').map((keyword) => [keyword, value]);

/** Keywords that hold subschemas. */
export const subschemaKeywords: ReadonlyMap<string, SubschemaPlace> = new Map([
  ...rows<SubschemaPlace>('one', 'not if then else items contains additionalProperties propertyNames'),
  ...rows<SubschemaPlace>('one', 'unevaluatedItems unevaluatedProperties'),
  ...rows<SubschemaPlace>('list', 'allOf anyOf oneOf prefixItems'),
  ...rows<SubschemaPlace>('map', 'properties patternProperties dependentSchemas $defs definitions'),
]);

/** Keywords that assert something about a value. */
export const assertionKeywords: ReadonlyMap<string, KeywordShape> = new Map<string, KeywordShape>([
  ['type', ['the name of a type, or a list of such names', isType]],
  ['enum', ['a list of at least one value', (value) => Array.isArray(value) && value.length > 0]],
  ['const', ['a value', () => true]],
  ['multipleOf', ['a number above zero', (value) => Number.isFinite(value) && Number(value) > 0]],
  ...rows(bound, 'minimum maximum exclusiveMinimum exclusiveMaximum'),
  ...rows(count, 'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains'),
  ['pattern', text],
  ['uniqueItems', flag],
  ['required', ['a list of different strings', isNames]],
  [
    'dependentRequired',
    ['lists of different strings by name', (value) => isObject(value) && Object.values(value).every(isNames)],
  ],
]);

/** Keywords that name and reference schemas. Checked for peers too, since an invalid one changes the meaning of the schema. */
export const namingKeywords: ReadonlyMap<string, KeywordShape> = new Map([
  ...rows(text, '$schema $ref $dynamicRef'),
  ...rows<KeywordShape>(['an address without a fragment', (value) => isText(value) && /^[^#]*#?$/.test(value)], '$id'),
  ...rows<KeywordShape>(
    ['a plain name', (value) => isText(value) && /^[A-Za-z_][\w.-]*$/.test(value)],
    '$anchor $dynamicAnchor',
  ),
]);

/** Annotations, which do not affect validation. */
export const describingKeywords: ReadonlyMap<string, KeywordShape> = new Map([
  ...rows(text, '$comment title description format contentEncoding contentMediaType'),
  ...rows(flag, 'readOnly writeOnly deprecated'),
  ...rows<KeywordShape>(['a list', Array.isArray], 'examples'),
]);

const others: ReadonlySet<string> = new Set([
  '$vocabulary',
  'default',
  'contentSchema',
  'additionalItems',
  'dependencies',
]);

/** Whether 2020-12 or draft-07 defines a keyword with this name. */
export const isKeyword = (name: string): boolean =>
  others.has(name) ||
  [subschemaKeywords, assertionKeywords, namingKeywords, describingKeywords].some((keywords) => keywords.has(name));

/** Keywords that draft-07 does not define, and the two that `fromDraft07` translates. */
const droppedFromDraft07: ReadonlySet<string> = new Set(
  (
    '$anchor $dynamicAnchor $dynamicRef prefixItems unevaluatedItems unevaluatedProperties minContains maxContains ' +
    'dependentSchemas dependentRequired additionalItems dependencies'
  ).split(' '),
);

/** Translates a draft-07 schema to 2020-12. Its subschemas are not translated yet. */
export function fromDraft07(schema: JsonObject): JsonObject {
  const { $id, $ref, definitions, items, additionalItems, dependencies } = schema;
  // Draft-07 ignores all siblings of `$ref`. Definitions are kept, because references can target them.
  if ($ref !== undefined) return definitions === undefined ? { $ref } : { $ref, definitions };
  const result = new Map(Object.entries(schema).filter(([keyword]) => !droppedFromDraft07.has(keyword)));
  if (isText($id) && /^#./.test($id)) result.set('$anchor', $id.slice(1)).delete('$id');
  if (Array.isArray(items)) {
    result.set('prefixItems', items).delete('items');
    if (additionalItems !== undefined) result.set('items', additionalItems);
  }
  if (isObject(dependencies)) {
    const entries = Object.entries(dependencies);
    result.set('dependentRequired', Object.fromEntries(entries.filter(([, value]) => Array.isArray(value))));
    result.set('dependentSchemas', Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value))));
  }
  return Object.fromEntries(result);
}

const DEFAULT = 'https://json-schema.org/draft/2020-12/schema';

const dialects: ReadonlyMap<string, string> = new Map([
  [DEFAULT.slice('https:'.length), '2020-12'],
  ['//json-schema.org/draft-07/schema', 'draft-07'],
]);

/** The schema's dialect; `undefined` if unsupported. Serializes `$schema` as JSON, because a peer's object can have its own `toString`. */
export const dialectNamed = ({ $schema = DEFAULT }: JsonObject): string | undefined =>
  dialects.get(JSON.stringify($schema).replace(/^"(?:https?:)?|#?"$/g, ''));

/** Removes a `$schema` that names the default dialect: some clients reject a tool if their validator does not know its URI. */
export function withoutDefaultDialect(schema: JsonObject): JsonObject {
  if (!('$schema' in schema) || dialectNamed(schema) !== '2020-12') return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}
