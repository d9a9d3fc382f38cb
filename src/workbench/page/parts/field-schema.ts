/** Resolves a JSON Schema for forms: follows `$ref` and merges `allOf`, with limits against hostile schemas. */
import { ReadingBudget } from '../../../schema/reading-budget.ts';
import { resolveLocalRef } from '../../../schema/references.ts';
import type { JsonValue } from './json-text.ts';

export type FieldSchema = { readonly [keyword: string]: JsonValue | undefined };

/** Maximum length of a chain of references; a longer one is treated as circular. */
export const MAX_REFERENCES = 32;
/** Maximum number of subschemas that are merged for one field, so that a hostile schema cannot block the page. */
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

/** Follows `$ref` and merges `allOf`. */
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
      { ...asSchema(resolveLocalRef(root, reference) as JsonValue | undefined), ...rest },
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
