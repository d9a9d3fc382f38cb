/** The keywords of JSON Schema 2020-12, and how draft-07 is said in them. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';

/** A keyword holds one subschema, a list of them, or a map from names to them. */
type SubschemaPlace = 'one' | 'list' | 'map';
/** What a value must be, in words and as a test. */
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

/** Where subschemas sit. */
export const subschemaKeywords: ReadonlyMap<string, SubschemaPlace> = new Map([
  ...rows<SubschemaPlace>('one', 'not if then else items contains additionalProperties propertyNames'),
  ...rows<SubschemaPlace>('one', 'unevaluatedItems unevaluatedProperties'),
  ...rows<SubschemaPlace>('list', 'allOf anyOf oneOf prefixItems'),
  ...rows<SubschemaPlace>('map', 'properties patternProperties dependentSchemas $defs definitions'),
]);

/** What a validator decides by. */
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

/** What points and names: wrong, it would change the meaning of the schema. */
export const namingKeywords: ReadonlyMap<string, KeywordShape> = new Map([
  ...rows(text, '$schema $ref $dynamicRef'),
  ...rows<KeywordShape>(['an address without a fragment', (value) => isText(value) && /^[^#]*#?$/.test(value)], '$id'),
  ...rows<KeywordShape>(
    ['a plain name', (value) => isText(value) && /^[A-Za-z_][\w.-]*$/.test(value)],
    '$anchor $dynamicAnchor',
  ),
]);

/** What only describes. */
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

/** Whether the name means something in either dialect. */
export const isKeyword = (name: string): boolean =>
  others.has(name) ||
  [subschemaKeywords, assertionKeywords, namingKeywords, describingKeywords].some((keywords) => keywords.has(name));

const unknownToDraft07: ReadonlySet<string> = new Set(
  (
    '$anchor $dynamicAnchor $dynamicRef prefixItems unevaluatedItems unevaluatedProperties minContains maxContains ' +
    'dependentSchemas dependentRequired additionalItems dependencies'
  ).split(' '),
);

/** A draft-07 schema in the words of 2020-12; its subschemas stay as they are. */
export function fromDraft07(schema: JsonObject): JsonObject {
  const { $id, $ref, definitions, items, additionalItems, dependencies } = schema;
  // Next to a reference, draft-07 ignores everything; only definitions can still be referred to.
  if ($ref !== undefined) return definitions === undefined ? { $ref } : { $ref, definitions };
  const result = new Map(Object.entries(schema).filter(([keyword]) => !unknownToDraft07.has(keyword)));
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

/** The name of the schema's dialect; `undefined` if it is not one of them. As JSON, because a peer's object can have a `toString` of its own. */
export const dialectNamed = ({ $schema = DEFAULT }: JsonObject): string | undefined =>
  dialects.get(JSON.stringify($schema).replace(/^"(?:https?:)?|#?"$/g, ''));

/** Without a `$schema` that only names the default: clients whose validator does not know its address reject the tool. */
export function withoutDefaultDialect(schema: JsonObject): JsonObject {
  if (!('$schema' in schema) || dialectNamed(schema) !== '2020-12') return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}
