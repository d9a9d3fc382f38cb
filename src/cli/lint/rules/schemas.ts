/** Lint rules for schemas that clients reject, that no call can satisfy, or that a model cannot fill in. */
import { McpError } from '../../../errors.ts';
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts';
import type { Tool } from '../../../model/parts.ts';
import { foreignChecker } from '../../../schema/index.ts';
import { SchemaView } from '../../tool-arguments/schema-view.ts';
import { type LintRule, schemaObject, toolRule } from '../rule.ts';
import { type Unfillable, whyUnfillable } from '../unfillable.ts';

/** Clients reject such a tool, or skip validation. */
export const invalidSchema: LintRule = toolRule('error', 'invalid-schema', {
  fix: 'Write JSON Schema 2020-12 with "type": "object" at the root of the input.',
  check({ inputSchema, outputSchema }) {
    if (!isObject(inputSchema)) return 'has no inputSchema';
    if (inputSchema['type'] !== 'object') return 'has an inputSchema without "type": "object"';
    return faultIn(inputSchema, 'inputSchema') ?? (outputSchema && faultIn(outputSchema, 'outputSchema'));
  },
});

function faultIn(schema: Tool['inputSchema'], what: string): string | undefined {
  try {
    foreignChecker(schema, what);
    return undefined;
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    // Exceeds a limit of this library, not a rule of the protocol.
    return error.code === 'MCP_SCHEMA_TOO_COSTLY' ? undefined : `has an invalid ${what}: ${error.message}`;
  }
}

/** No arguments are valid, so every call fails. */
const unfillable =
  (kind: Unfillable['kind']) =>
  ({ inputSchema }: Tool): string | undefined => {
    const found = isObject(inputSchema) ? whyUnfillable(inputSchema, inputSchema) : undefined;
    if (found?.kind !== kind) return undefined;
    const { path, why } = found;
    return path === '' ? `accepts no arguments: its schema ${why}` : `cannot be called: ${path} ${why}`;
  };

export const unfillableSchema: LintRule = toolRule('error', 'unfillable-schema', {
  fix: 'Correct the schema, so that at least one value is valid.',
  check: unfillable('contradiction'),
});

export const endlessSchema: LintRule = toolRule('error', 'endless-schema', {
  fix: 'Make the property that refers back optional, or allow an empty array or null.',
  check: unfillable('endless'),
});

/** A model cannot fill in what the schema does not describe. */
export const undeclaredRequired: LintRule = toolRule('error', 'undeclared-required', {
  fix: 'Declare the parameter in "properties", or remove it from "required".',
  check({ inputSchema }) {
    const view = new SchemaView(schemaObject(inputSchema));
    const declared = new Set(view.keys);
    const missing = view.required.filter((name) => !declared.has(name));
    return missing.length === 0 ? undefined : `requires ${missing.join(', ')}, which "properties" does not declare`;
  },
});

/** One such tool makes the API reject the whole request. */
export const topLevelUnion: LintRule = toolRule('warning', 'top-level-union', {
  fix: 'Make the root one object with optional properties, and check the combination in the tool.',
  check({ inputSchema }) {
    const found = ['anyOf', 'oneOf', 'allOf'].filter((keyword) => keyword in schemaObject(inputSchema));
    if (found.length === 0) return undefined;
    return `has ${found.join(' and ')} at the root of its inputSchema, which the Claude API rejects`;
  },
});

/** A schema that allows any value does not help a model. */
export const untypedParameter: LintRule = toolRule('warning', 'untyped-parameter', {
  fix: 'Declare the type of the parameter, the members of an object and the items of an array.',
  check({ inputSchema }) {
    const { properties } = schemaObject(inputSchema);
    const vague = Object.entries(schemaObject(properties)).flatMap(([name, schema]) => {
      const why = vagueness(schema);
      return why === undefined ? [] : [`${name} (${why})`];
    });
    return vague.length === 0 ? undefined : `accepts anything for ${vague.join(', ')}`;
  },
});

/** Keywords that constrain a value. `additionalProperties` marks an object as intentionally open. */
const combining: readonly string[] = ['$ref', 'anyOf', 'oneOf', 'allOf', 'properties'];
const shaping: readonly string[] = [...combining, 'type', 'enum', 'const', 'items', 'not', 'if'];
const ofObjects: readonly string[] = [...combining, 'additionalProperties', 'patternProperties', 'propertyNames'];

function vagueness(schema: unknown): string | undefined {
  const has = (one: JsonObject, keywords: readonly string[]): boolean => keywords.some((keyword) => keyword in one);
  if (schema === true) return 'no type';
  if (!isObject(schema)) return undefined;
  if (!has(schema, shaping)) return 'no type';
  if (schema['type'] === 'object' && !has(schema, ofObjects)) return 'an object without properties';
  return schema['type'] === 'array' && !has(schema, ['items', 'prefixItems']) ? 'an array without items' : undefined;
}

/** A single letter can be a known code, such as the sizes S and M. */
const LETTER = /\p{L}/u;
const MAX_DEPTH = 8;

/** A model cannot choose between numeric codes without explanation. */
export const unclearEnum: LintRule = toolRule('warning', 'unclear-enum', {
  fix: 'Give each value a title (oneOf with const and title), or explain the values in the description.',
  check({ inputSchema }) {
    const found = enumsIn(schemaObject(inputSchema), '', 0);
    return found.length === 0 ? undefined : `has enum values without an explanation: ${found.join(', ')}`;
  },
});

function enumsIn({ properties, items }: JsonObject, path: string, depth: number): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  const members = Object.entries(schemaObject(properties)).flatMap(([key, one]) =>
    isObject(one) ? [...(isUnclear(one) ? [`${path}${key}`] : []), ...enumsIn(one, `${path}${key}.`, depth + 1)] : [],
  );
  const item = isObject(items)
    ? [...(isUnclear(items) ? [path.slice(0, -1)] : []), ...enumsIn(items, path, depth + 1)]
    : [];
  return [...members, ...item];
}

/** True if no value contains a letter, and the description does not mention all values. */
function isUnclear({ enum: values, enumNames, description = '' }: JsonObject): boolean {
  if (!Array.isArray(values) || values.length < 2 || enumNames !== undefined) return false;
  const texts = values.filter((one) => one !== null && typeof one !== 'boolean').map(String);
  const areExplained = texts.every((one) => String(description).includes(one));
  return texts.length > 1 && texts.every((one) => !LETTER.test(one)) && !areExplained;
}
