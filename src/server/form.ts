/** Converts a schema to an elicitation form: flat, primitive fields, and only the keywords that clients must understand. */
import { badDefinition } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { FormSchema } from '../model/elicitation.ts';

const common = ['title', 'description', 'default'];
const keywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems', 'items'],
};
const formats: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

export function formOf(schema: JsonObject, what: string): FormSchema {
  if (schema['type'] !== 'object' || !isObject(schema['properties'])) {
    throw badDefinition(what, 'a form is an object schema with properties');
  }
  const fields: [string, JsonObject][] = [];
  for (const [name, field] of Object.entries(schema['properties'])) fields.push([name, fieldOf(name, field, what)]);
  const required = schema['required'] as readonly string[] | undefined; // by JSON Schema
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required === undefined || required.length === 0 ? {} : { required }),
  };
}

function fieldOf(name: string, given: unknown, what: string): JsonObject {
  const field = isObject(given) ? constantsToChoices(given) : {};
  const type = field['type'];
  const known = typeof type === 'string' && Object.hasOwn(keywords, type) ? keywords[type] : undefined;
  if (known === undefined || (type === 'array' && !isChoice(field['items']))) {
    const why = `field "${name}" must be a string, number, boolean, or a choice of strings; forms are flat`;
    throw badDefinition(what, why);
  }
  const kept: Record<string, unknown> = { type };
  for (const keyword of [...common, ...known]) {
    const value = field[keyword];
    if (value === undefined || (keyword === 'format' && !formats.includes(value))) continue;
    // Schema libraries add the range of safe integers to every integer, which users need not see.
    if ((keyword === 'minimum' || keyword === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)
      continue;
    kept[keyword] = value;
  }
  return kept;
}

/** Converts a constant, or a union of constants, to a choice. */
function constantsToChoices(field: JsonObject): JsonObject {
  if (typeof field['const'] === 'string') return { ...field, type: 'string', enum: [field['const']] };
  if (field['type'] === 'array') {
    const items = isObject(field['items']) ? field['items'] : {};
    const choices = choicesOf(items['anyOf'] ?? items['oneOf']);
    return choices === undefined ? field : { ...field, items: { anyOf: choices } };
  }
  const choices = choicesOf(field['anyOf'] ?? field['oneOf']);
  return choices === undefined ? field : { ...field, type: 'string', oneOf: choices };
}

/** The choices of a union of constants. The default title of a choice is its value. */
const choicesOf = (union: unknown): readonly JsonObject[] | undefined =>
  Array.isArray(union) && union.every((one) => isObject(one) && typeof one['const'] === 'string')
    ? union.map((one: JsonObject) => ({ const: one['const'], title: one['title'] ?? one['const'] }))
    : undefined;

const isChoice = (items: unknown): boolean =>
  isObject(items) && (isStrings(items['enum']) || Array.isArray(items['anyOf']));

const isStrings = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === 'string');
