/** A JSON Schema as a form reads it: with its references followed, and what it is made of merged. */
import { ReadingBudget } from '../../../schema/reading-budget.ts';
import { referredIn } from '../../../schema/references.ts';
import type { JsonValue } from './json-text.ts';

export type FieldSchema = { readonly [keyword: string]: JsonValue | undefined };

/** References are followed this often in a row; what goes on longer is a circle. */
export const MAX_REFERENCES = 32;
/** Of one place. More parts are those of a schema that was made to keep the page busy. */
export const MAX_SCHEMA_PARTS = 200;

export const isJsonObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const asSchema = (value: JsonValue | undefined): { readonly [keyword: string]: JsonValue } =>
  isJsonObject(value) ? value : {};
export const asJsonList = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
export const asJsonText = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
export const typesOf = (schema: FieldSchema): readonly JsonValue[] =>
  Array.isArray(schema['type']) ? schema['type'] : schema['type'] === undefined ? [] : [schema['type']];

/** The schema with `$ref` followed and `allOf` merged into it. */
export function resolveSchema(
  schema: FieldSchema,
  root: FieldSchema,
  budget: ReadingBudget = new ReadingBudget(MAX_SCHEMA_PARTS),
  depth = 0,
): FieldSchema {
  if (depth > MAX_REFERENCES || !budget.take()) return {};
  const reference = asJsonText(schema['$ref']);
  if (reference !== undefined) {
    const { $ref: _, ...rest } = schema;
    return resolveSchema(
      { ...asSchema(referredIn(root, reference) as JsonValue | undefined), ...rest },
      root,
      budget,
      depth + 1,
    );
  }
  const all = asJsonList(schema['allOf']);
  if (all.length === 0) return schema;
  const { allOf: _, ...rest } = schema;
  const parts = all.map((part) => resolveSchema(asSchema(part), root, budget, depth + 1));
  return [...parts, rest].reduce<FieldSchema>(mergeSchemas, {});
}

export function mergeSchemas(left: FieldSchema, right: FieldSchema): FieldSchema {
  const properties = { ...asSchema(left['properties']), ...asSchema(right['properties']) };
  const required = [...new Set([...asJsonList(left['required']), ...asJsonList(right['required'])])];
  const types = typesOf(left).filter((type) => typesOf(right).length === 0 || typesOf(right).includes(type));
  return {
    ...left,
    ...right,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(types.length > 0 && { type: types.length === 1 ? (types[0] as string) : types }),
  };
}
