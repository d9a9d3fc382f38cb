/** Collects the texts of a definition that a user or a model can read, including names. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { MAX_DEPTH } from '../../jsonrpc/read.ts';

/** Schema keywords whose value is an object with keys that the author chose. */
const keywordsWithNames: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
]);

/** All texts except those in icons and `_meta`. */
export function definitionTexts({ icons: _icons, _meta, ...definition }: JsonObject): string[] {
  const { name } = definition;
  return [
    ...(typeof name === 'string' ? [splitName(name)] : []),
    ...textsIn(definition, { hasNames: false, depth: 0 }),
  ];
}

interface TextPlace {
  /** Whether the keys of this object are names that the author chose. */
  readonly hasNames: boolean;
  readonly depth: number;
}

function textsIn(value: unknown, { hasNames, depth }: TextPlace): string[] {
  // Without digests of files: they would count as encoded text.
  if (typeof value === 'string') return /^sha256:[0-9a-f]{64}$/.test(value) ? [] : [value];
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, { hasNames, depth: depth + 1 }));
  return Object.entries(value).flatMap(([key, one]) => {
    if (!hasNames && key === '$schema') return [];
    const names = hasNames ? [key, splitName(key)] : [];
    const isKeywordWithNames = !hasNames && keywordsWithNames.has(key) && isObject(one);
    return [...names, ...textsIn(one, { hasNames: isKeywordWithNames, depth: depth + 1 })];
  });
}

/** `sendMail` and `send_mail` as words. */
const splitName = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ');
