/** Whether a schema lets more through than before, or less. What is not understood, and differs, lets more through. */
import { isObject } from '../../jsonrpc/message.ts';
import { cosmetic, type DefinitionChange, narrower, wider } from './change.ts';
import { bare } from './schema-bare.ts';
import { SchemaIds } from './schema-ids.ts';

interface GradedPlace {
  /** What a tool takes, or what it returns. */
  readonly side: 'input' | 'output';
  /** As it is shown: `order.items`. */
  readonly path: string;
  readonly ids: SchemaIds;
}

const MAX_DEPTH = 64;

/** But for the words in them. */
export const compareSchemas = (before: unknown, after: unknown, side: GradedPlace['side']): DefinitionChange[] =>
  compareNodes(bare(before), bare(after), { side, path: '', ids: new SchemaIds() });

function compareNodes(before: unknown, after: unknown, place: GradedPlace, depth = 0): DefinitionChange[] {
  const same = (a: unknown, b: unknown): boolean => place.ids.of(a) === place.ids.of(b);
  if (same(before, after)) return [];
  if (!isObject(before) || !isObject(after) || depth > MAX_DEPTH) return [wider(`${shown(place)} is of another shape`)];
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keywords].flatMap((keyword) => {
    const [was, is] = [before[keyword], after[keyword]];
    if (harmless.has(keyword) || same(was, is)) return [];
    const compare = keywordsOf.get(keyword) ?? unknownKeyword;
    return compare({ keyword, was, is, place, depth });
  });
}

interface SchemaDifference {
  readonly keyword: string;
  readonly was: unknown;
  readonly is: unknown;
  readonly place: GradedPlace;
  readonly depth: number;
}
type CompareKeyword = (difference: SchemaDifference) => DefinitionChange[];

/** Text is compared elsewhere; names of schemas change nothing. */
const harmless: ReadonlySet<string> = new Set([
  'title',
  'description',
  '$comment',
  'examples',
  '$schema',
  '$id',
  'deprecated',
]);

const shown = ({ side, path }: GradedPlace): string => (path === '' ? `its ${side}` : `"${path}" of its ${side}`);

const within = (place: GradedPlace, name: string): GradedPlace => ({
  ...place,
  path: place.path === '' ? name : `${place.path}.${name}`,
});

const unknownKeyword: CompareKeyword = ({ keyword, place }) => [wider(`${keyword} of ${shown(place)} changed`)];

/** A condition that came is narrower; one that went, or is another, is wider. */
const condition: CompareKeyword = (difference) =>
  difference.was === undefined
    ? [narrower(`${shown(difference.place)} is held to a ${difference.keyword} now`)]
    : unknownKeyword(difference);

const bound =
  (tighter: (was: number, is: number) => boolean): CompareKeyword =>
  (difference) => {
    const { was, is, keyword, place } = difference;
    const tight = typeof is === 'number' && (was === undefined || (typeof was === 'number' && tighter(was, is)));
    return tight ? [narrower(`${keyword} of ${shown(place)} is tighter`)] : unknownKeyword(difference);
  };

const nested: CompareKeyword = ({ was, is, place, depth, keyword }) => {
  if (was === undefined) return [narrower(`${shown(place)} has a schema for its ${keyword} now`)];
  if (is === undefined) return [wider(`${shown(place)} has no schema for its ${keyword} any more`)];
  return compareNodes(was, is, within(place, keyword === 'items' ? '[]' : keyword), depth + 1);
};

const sets =
  ({ more, less }: { more: 'wider' | 'narrower'; less: 'wider' | 'narrower' }): CompareKeyword =>
  ({ was, is, keyword, place }) => {
    const [old, now] = [setOf(was, place.ids), setOf(is, place.ids)];
    const grown = [...now].some((one) => !old.has(one));
    const shrunk = [...old].some((one) => !now.has(one));
    const status = grown && shrunk ? 'wider' : grown ? more : less;
    return [{ status, why: `${keyword} of ${shown(place)} ${grown ? 'has more' : 'has fewer'} to choose from` }];
  };

const setOf = (list: unknown, ids: SchemaIds): Set<string> =>
  new Set((Array.isArray(list) ? list : []).map((one) => ids.of(one)));

const choices: CompareKeyword = (difference) => {
  const { was, is, place, keyword } = difference;
  if (was === undefined) return [narrower(`${shown(place)} is limited by ${keyword} now`)];
  if (is === undefined) return [wider(`${shown(place)} is no longer limited by ${keyword}`)];
  return sets({ more: 'wider', less: 'narrower' })(difference);
};

const keywordsOf: ReadonlyMap<string, CompareKeyword> = new Map<string, CompareKeyword>([
  ['type', types],
  ['properties', properties],
  ['required', required],
  ['additionalProperties', additional],
  ['enum', choices],
  ['anyOf', choices],
  ['oneOf', choices],
  ['allOf', sets({ more: 'narrower', less: 'wider' })],
  ['items', nested],
  ['propertyNames', nested],
  ['$defs', definitions],
  ['definitions', definitions],
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map((name): [string, CompareKeyword] => [
    name,
    bound((was, is) => is > was),
  ]),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map((name): [string, CompareKeyword] => [
    name,
    bound((was, is) => is < was),
  ]),
  ...['pattern', 'format', 'multipleOf', 'uniqueItems', 'const', 'contentEncoding'].map(
    (name): [string, CompareKeyword] => [name, condition],
  ),
]);

function types({ was, is, place }: SchemaDifference): DefinitionChange[] {
  const [old, now] = [typesIn(was), typesIn(is)];
  if (old === undefined) return [narrower(`${shown(place)} has a type now`)];
  if (now === undefined) return [wider(`${shown(place)} may be of any type now`)];
  const fits = (type: string, set: ReadonlySet<string>): boolean =>
    set.has(type) || (type === 'integer' && set.has('number'));
  const more = [...now].filter((type) => !fits(type, old));
  if (more.length > 0) return [wider(`${shown(place)} may be ${more.join(' or ')} now`)];
  return [narrower(`${shown(place)} may be of fewer types`)];
}

function typesIn(type: unknown): ReadonlySet<string> | undefined {
  if (typeof type === 'string') return new Set([type]);
  return Array.isArray(type) ? new Set(type.map(String)) : undefined;
}

function properties({ was, is, place, depth }: SchemaDifference): DefinitionChange[] {
  const [old, now] = [mapOf(was), mapOf(is)];
  if (now.size === 0 && old.size > 0) return [wider(`${shown(place)} may be anything now`)];
  const verb = place.side === 'input' ? 'takes' : 'returns';
  const came = [...now.keys()]
    .filter((name) => !old.has(name))
    .map((name) => wider(`it ${verb} ${label(place, name)} now`));
  const went = [...old.keys()]
    .filter((name) => !now.has(name))
    .map((name) => narrower(`it no longer ${verb} ${label(place, name)}`));
  const stayed = [...now].flatMap(([name, schema]) =>
    old.has(name) ? compareNodes(old.get(name), schema, within(place, name), depth + 1) : [],
  );
  return [...came, ...went, ...stayed];
}

const label = (place: GradedPlace, name: string): string => JSON.stringify(within(place, name).path.slice(0, 100));

const mapOf = (value: unknown): Map<string, unknown> => new Map(isObject(value) ? Object.entries(value) : []);

/** What is demanded of a caller is given away; what is demanded of the server is a promise. */
function required({ was, is, place }: SchemaDifference): DefinitionChange[] {
  const [old, now] = [was, is].map((list) => new Set((Array.isArray(list) ? list : []).map(String))) as [
    Set<string>,
    Set<string>,
  ];
  const came = [...now].filter((name) => !old.has(name));
  const went = [...old].filter((name) => !now.has(name));
  const [more, less] = place.side === 'input' ? [wider, narrower] : [narrower, wider];
  return [
    ...came.map((name) => more(`${label(place, name)} of its ${place.side} is required now`)),
    ...went.map((name) => less(`${label(place, name)} of its ${place.side} is no longer required`)),
  ];
}

function additional({ was, is, place, depth }: SchemaDifference): DefinitionChange[] {
  if (is === false) return [narrower(`${shown(place)} has no further members any more`)];
  if (was === undefined || was === true)
    return is === true || is === undefined ? [] : [narrower(`further members of ${shown(place)} have a schema now`)];
  if (was === false || is === undefined || is === true) return [wider(`${shown(place)} may have further members now`)];
  return compareNodes(was, is, within(place, '*'), depth + 1);
}

/** Schemas that others refer to: one that came or went matters where it is referred to, and that is another change. */
function definitions({ was, is, place, depth }: SchemaDifference): DefinitionChange[] {
  const [old, now] = [mapOf(was), mapOf(is)];
  const changes = [...now].flatMap(([name, schema]) =>
    old.has(name) ? compareNodes(old.get(name), schema, within(place, name), depth + 1) : [],
  );
  return changes.length === 0 ? [cosmetic('its schema is put together differently')] : changes;
}
