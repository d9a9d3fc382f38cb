/** Whether a text can be a value of a JSON Schema: what arrives as text must be declared so that it can. */
import { isObject } from './keywords.ts';
import { HERE, lookUp } from './references.ts';
import type { JsonObject } from './standard.ts';

/** Only says no where that is certain. `root` is the schema that references start from. */
export function acceptsText(schema: unknown, root: JsonObject, depth = 0): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return schema !== false;
  const { type, enum: values, const: value, $ref, anyOf, oneOf, allOf } = schema;
  const inside = (part: unknown): boolean => acceptsText(part, root, depth + 1);
  const target = typeof $ref === 'string' ? lookUp($ref, HERE, new Map([[HERE, root]]))?.schema : undefined;
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
