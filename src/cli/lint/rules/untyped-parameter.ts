/** A schema that allows anything tells a model nothing. */
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts';
import { eachTool, type LintRule } from '../rule.ts';

export const untypedParameter: LintRule = {
  id: 'untyped-parameter',
  severity: 'warning',
  fix: 'Declare the type of the parameter, the members of an object and the items of an array.',
  check: eachTool(({ inputSchema }) => {
    const { properties } = isObject(inputSchema) ? inputSchema : {};
    const vague = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) => {
      const why = vagueness(schema);
      return why === undefined ? [] : [`${name} (${why})`];
    });
    if (vague.length === 0) return undefined;
    return `accepts anything for ${vague.join(', ')}`;
  }),
};

/** What says anything about the value. `additionalProperties` says that it is meant to be free. */
const shaping = ['type', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf', 'properties', 'items', 'not', 'if'];
const ofObjects = [
  'properties',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
];

function vagueness(schema: unknown): string | undefined {
  const has = (one: JsonObject, keywords: readonly string[]): boolean => keywords.some((keyword) => keyword in one);
  if (schema === true) return 'no type';
  if (!isObject(schema)) return undefined;
  if (!has(schema, shaping)) return 'no type';
  if (schema['type'] === 'object' && !has(schema, ofObjects)) return 'an object without properties';
  return schema['type'] === 'array' && !has(schema, ['items', 'prefixItems']) ? 'an array without items' : undefined;
}
