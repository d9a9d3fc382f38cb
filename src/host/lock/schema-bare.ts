/** A schema without the text in it, so that two that differ in words only are the same. */
import { isObject } from '../../jsonrpc/message.ts';

const words: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'examples']);
/** Members whose own members are named by the author: a property may be called `title`. */
const named: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
]);
/** Members that hold values and no schemas. */
const values: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'required', 'type']);
const MAX_DEPTH = 64;

export function bare(schema: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return schema;
  if (Array.isArray(schema)) return schema.map((one: unknown) => bare(one, depth + 1));
  return isObject(schema)
    ? mapped(schema, (key, value) => (words.has(key) ? undefined : member(key, value, depth)))
    : schema;
}

function member(keyword: string, value: unknown, depth: number): unknown {
  if (values.has(keyword)) return value;
  return named.has(keyword) && isObject(value)
    ? mapped(value, (_, one) => bare(one, depth + 1))
    : bare(value, depth + 1);
}

function mapped(of: object, each: (key: string, value: unknown) => unknown): object {
  // Names are the server's: no prototype, so that each of them is a name.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(of)) {
    const one = each(key, value);
    if (one !== undefined) copy[key] = one;
  }
  return copy;
}
