/** Resolves `$ref`, `$id`, anchors and JSON Pointers within one document. Other documents are never fetched. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { keysOfPointer } from './issues.ts';

/** The base URI of a document without `$id`. */
export const HERE = 'schema://here/';

/** The schemas of a document that have a URI, with or without `#anchor`. */
export type SchemaNames = Map<string, JsonObject>;

/** Resolves a reference against a base URI, without its fragment. `undefined` if the result is not a URI. */
export function resolveAddress(ref: string, base: string): string | undefined {
  const [path = ''] = ref.split('#');
  if (path === '') return base;
  return URL.canParse(path, base) ? new URL(path, base).href : undefined;
}

/** The target of a reference, and its base URI; `undefined` if the document does not contain it. */
export function resolveReference(
  ref: string,
  base: string,
  names: SchemaNames,
): { schema: unknown; base: string } | undefined {
  const address = resolveAddress(ref, base);
  const document = address === undefined ? undefined : names.get(address);
  if (address === undefined || document === undefined) return undefined;
  const fragment = decodeFragment(ref.split('#')[1] ?? '');
  if (fragment === undefined) return undefined;
  const schema = /^(\/|$)/.test(fragment) ? resolvePointer(document, fragment) : names.get(`${address}#${fragment}`);
  return schema === undefined ? undefined : { schema, base: address };
}

/** The target of a local `$ref` in a document without `$id` and anchors; undefined if it is not found. */
export const resolveLocalRef = (root: JsonObject, ref: unknown): unknown =>
  typeof ref === 'string' ? resolveReference(ref, HERE, new Map([[HERE, root]]))?.schema : undefined;

function resolvePointer(document: JsonObject, pointer: string): unknown {
  let value: unknown = document;
  for (const key of keysOfPointer(pointer)) {
    if (Array.isArray(value)) value = value[/^\d+$/.test(key) ? Number(key) : -1];
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** Whether a string can match this schema; false only if that is certain. References are resolved in `root`. */
export function acceptsText(schema: unknown, root: JsonObject, depth = 0): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return schema !== false;
  const { type, enum: values, const: value, $ref, anyOf, oneOf, allOf } = schema;
  const inside = (part: unknown): boolean => acceptsText(part, root, depth + 1);
  const target = resolveLocalRef(root, $ref);
  return (
    (type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'))) &&
    (!Array.isArray(values) || values.some(isText)) &&
    (value === undefined || isText(value)) &&
    (target === undefined || inside(target)) &&
    [anyOf, oneOf].every((union) => !Array.isArray(union) || union.some(inside)) &&
    (!Array.isArray(allOf) || allOf.every(inside))
  );
}

const MAX_DEPTH = 20;

const isText = (value: unknown): boolean => typeof value === 'string';
