/** The text of a definition that a user or a model may read, names and values included. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { MAX_DEPTH } from '../../jsonrpc/read.ts';

/** Members of a schema whose own members are named by the author. */
const named: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
]);

/** All of it but icons and `_meta`. */
export function definitionTexts({ icons: _icons, _meta, ...definition }: JsonObject): string[] {
  const { name } = definition;
  return [...(typeof name === 'string' ? [spaceOut(name)] : []), ...textsIn(definition, { hasNames: false, depth: 0 })];
}

interface TextPlace {
  /** The keys here are names that the author chose. */
  readonly hasNames: boolean;
  readonly depth: number;
}

function textsIn(value: unknown, { hasNames, depth }: TextPlace): string[] {
  // The digest of a file reads like encoded text, and says nothing.
  if (typeof value === 'string') return /^sha256:[0-9a-f]{64}$/.test(value) ? [] : [value];
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, { hasNames, depth: depth + 1 }));
  return Object.entries(value).flatMap(([key, one]) => {
    if (!hasNames && key === '$schema') return [];
    const names = hasNames ? [key, spaceOut(key)] : [];
    return [...names, ...textsIn(one, { hasNames: !hasNames && named.has(key) && isObject(one), depth: depth + 1 })];
  });
}

/** What a name says when it is read as words. */
const spaceOut = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ');
