/** How a schema names its parts and refers to them. Only what is in the same document is ever found. */
import { isObject } from './keywords.ts';
import type { JsonObject } from './standard.ts';

/** The address of a document that does not give its own. */
export const HERE = 'schema://here/';

/** Every name in a document: addresses, and addresses with `#anchor`. */
export type SchemaNames = Map<string, JsonObject>;

/** An address without its fragment, or `undefined` where the two do not make one. */
export function absolute(ref: string, base: string): string | undefined {
  const [path = ''] = ref.split('#');
  if (path === '') return base;
  return URL.canParse(path, base) ? new URL(path, base).href : undefined;
}

/** The schema that a reference means, and the address it belongs to; `undefined` where the document has none. */
export function lookUp(ref: string, base: string, names: SchemaNames): { schema: unknown; base: string } | undefined {
  const address = absolute(ref, base);
  const document = address === undefined ? undefined : names.get(address);
  if (address === undefined || document === undefined) return undefined;
  const fragment = decoded(ref.split('#')[1] ?? '');
  if (fragment === undefined) return undefined;
  const schema = /^(\/|$)/.test(fragment) ? pointedAt(document, fragment) : names.get(`${address}#${fragment}`);
  return schema === undefined ? undefined : { schema, base: address };
}

function pointedAt(document: JsonObject, pointer: string): unknown {
  let value: unknown = document;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[/^\d+$/.test(key) ? Number(key) : -1];
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
