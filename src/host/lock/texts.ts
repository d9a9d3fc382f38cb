/** The words in a definition: those that people and models read, and those that only look like data. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';

const prose: ReadonlySet<string> = new Set(['title', 'description', 'instructions', '$comment', 'examples']);
/** Members whose own members are named by the author, so that `title` there is a name and no title. */
const named: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
]);
const MAX_DEPTH = 64;

/** Titles and descriptions, wherever they are. */
export const proseIn = (definition: JsonObject): string[] => walk(definition, { prose: true, names: false }, 0);

/** All text, names and values that may be chosen among it, but for pictures and _meta. */
export function textsIn({ icons: _icons, _meta, ...definition }: JsonObject): string[] {
  const { name } = definition;
  const said = typeof name === 'string' ? [spaced(name)] : [];
  return [...said, ...walk(definition, { prose: false, names: false }, 0)];
}

interface TextPlace {
  /** Only prose counts. */
  readonly prose: boolean;
  /** The keys here are names that the author chose. */
  readonly names: boolean;
}

function walk(value: unknown, place: TextPlace, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((one) => walk(one, place, depth + 1));
  if (!isObject(value)) return typeof value === 'string' && !place.prose ? [value] : [];
  return Object.entries(value).flatMap(([key, one]) => {
    if (!place.names && key === '$schema') return [];
    // What a name says when it is read as words.
    const said = place.names && !place.prose ? [key, spaced(key)] : [];
    if (!place.names && prose.has(key)) return [...said, ...stringsIn(one, depth + 1)];
    return [...said, ...walk(one, { ...place, names: !place.names && named.has(key) }, depth + 1)];
  });
}

function stringsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((one) => stringsIn(one, depth + 1));
}

const spaced = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ');
