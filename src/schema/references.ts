/** How a schema names its parts and refers to them. Only what is in the same document is ever found. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';

/** The address of a document that does not give its own. */
export const HERE = 'schema://here/';

/** Every name in a document: addresses, and addresses with `#anchor`. */
export type SchemaNames = Map<string, JsonObject>;

/** An address without its fragment, or `undefined` where the two do not make one. */
export function resolveAddress(ref: string, base: string): string | undefined {
  const [path = ''] = ref.split('#');
  if (path === '') return base;
  return URL.canParse(path, base) ? new URL(path, base).href : undefined;
}

/** The schema that a reference means, and the address it belongs to; `undefined` where the document has none. */
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

/** What a `$ref` means in a document without names of its own; undefined for anything else. */
export const referredIn = (root: JsonObject, ref: unknown): unknown =>
  typeof ref === 'string' ? resolveReference(ref, HERE, new Map([[HERE, root]]))?.schema : undefined;

function resolvePointer(document: JsonObject, pointer: string): unknown {
  let value: unknown = document;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
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

/** Whether a string can be a value of this schema; false only where that is certain. `root` is what references start from. */
export function acceptsText(schema: unknown, root: JsonObject, depth = 0): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return schema !== false;
  const { type, enum: values, const: value, $ref, anyOf, oneOf, allOf } = schema;
  const inside = (part: unknown): boolean => acceptsText(part, root, depth + 1);
  const target = referredIn(root, $ref);
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
