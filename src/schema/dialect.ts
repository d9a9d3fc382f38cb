/** The dialects of JSON Schema that are understood. */
import type { JsonObject } from './standard.ts';

const DEFAULT = 'https://json-schema.org/draft/2020-12/schema';

const dialects: ReadonlyMap<string, string> = new Map([
  [DEFAULT.slice('https:'.length), '2020-12'],
  ['//json-schema.org/draft-07/schema', 'draft-07'],
]);

/** The name of the schema's dialect; `undefined` if it is not one of them. */
export const dialectNamed = ({ $schema = DEFAULT }: JsonObject): string | undefined =>
  dialects.get(String($schema).replace(/^https?:|#$/g, ''));

/** Without a `$schema` that only names the default: clients whose validator does not know its address reject the tool. */
export function withoutDefaultDialect(schema: JsonObject): JsonObject {
  if (!('$schema' in schema) || dialectNamed(schema) !== '2020-12') return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}
