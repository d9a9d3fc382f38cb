/** Validates a value for display in a form, and finds the variant of a union that it fits best. */
import { ReadingBudget } from '../../../schema/reading-budget.ts';
import { asSchema, type FieldSchema, isJsonObject, MAX_REFERENCES, typesOf } from './field-schema.ts';
import { type FormField, fieldOf, itemSchema, membersOf } from './form-model.ts';
import type { JsonValue } from './json-text.ts';

/** The index of the variant with the fewest faults; the first of several. */
export function variantOf(field: FormField, value: JsonValue | undefined, root: FieldSchema): number {
  const counts = (field.variants ?? []).map(({ schema }) => faultsIn(schema, value, root).length);
  return Math.max(0, counts.indexOf(Math.min(...counts)));
}

/** Maximum number of values and variants to check; the server validates the rest. */
const MAX_CHECKED = 5_000;

interface FaultPlace {
  readonly root: FieldSchema;
  readonly depth: number;
  readonly budget: ReadingBudget;
}

/** Describes what is wrong with a value; empty if nothing is. The server has the final say: this only saves a round trip. */
export const faultsIn = (raw: FieldSchema, value: JsonValue | undefined, root: FieldSchema): string[] =>
  faultsAt(raw, value, { root, depth: 0, budget: new ReadingBudget(MAX_CHECKED) });

function faultsAt(raw: FieldSchema, value: JsonValue | undefined, place: FaultPlace): string[] {
  const { root, depth, budget } = place;
  if (value === undefined || depth > MAX_REFERENCES || !budget.take()) return [];
  const within = { root, budget, depth: depth + 1 };
  const field = fieldOf(raw, root);
  const { schema } = field;
  if (value === null && field.kind !== 'union')
    return field.nullable || schema['const'] === null || field.kind === 'json'
      ? []
      : [`null is not allowed; ${field.expects} is expected`];
  switch (field.kind) {
    case 'constant':
      return isSameJson(schema['const'], value) ? [] : [`must be ${JSON.stringify(schema['const'])}`];
    case 'choice':
      return field.options?.some((option) => isSameJson(option.value, value)) === true
        ? []
        : ['must be one of the options'];
    case 'text':
      return typeof value === 'string' ? limitFaults(schema, /Length$/, [...value].length) : ['text is expected'];
    case 'number':
      return typeof value === 'number' ? numberFaults(schema, value) : [`${field.expects} is expected`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : ['true or false is expected'];
    case 'object':
      return isJsonObject(value) ? objectFaults(field, value, within) : ['an object is expected'];
    case 'array':
    case 'choices':
      return Array.isArray(value)
        ? [
            ...limitFaults(schema, /Items$/, value.length),
            ...value.flatMap((item, at) => faultsAt(itemSchema(field, at), item, within)),
          ]
        : ['a list is expected'];
    case 'union': {
      if (value === null && field.nullable) return [];
      const all = (field.variants ?? []).map((one) => faultsAt(one.schema, value, within));
      return all.some((faults) => faults.length === 0) ? [] : ['must match one of the variants'];
    }
    default:
      return typesOf(schema).length === 0 || typesOf(schema).includes(typeName(value))
        ? []
        : [`${field.expects} is expected`];
  }
}

function objectFaults(field: FormField, value: { [name: string]: JsonValue }, place: FaultPlace): string[] {
  return membersOf(field, value).flatMap(({ name, schema, isRequired }) => {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    if (own === undefined) return isRequired ? [`${name} is missing`] : [];
    if (field.schema['additionalProperties'] === false && !Object.hasOwn(asSchema(field.schema['properties']), name))
      return [`unknown property ${name}`];
    return faultsAt(schema, own, place).map((fault) => `${name}: ${fault}`);
  });
}

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

const isSameJson = (left: JsonValue | undefined, right: JsonValue): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

/** Limits of strings, numbers and lists: the schema keyword, the check, and the message, where `#` is replaced by the limit. */
const limits: readonly (readonly [keyword: string, holds: (size: number, limit: number) => boolean, words: string])[] =
  [
    ['minLength', (size, limit) => size >= limit, 'at least # characters are expected'],
    ['maxLength', (size, limit) => size <= limit, 'at most # characters are expected'],
    ['minItems', (size, limit) => size >= limit, '# or more items are expected'],
    ['maxItems', (size, limit) => size <= limit, '# or fewer items are expected'],
    ['minimum', (size, limit) => size >= limit, 'must be at least #'],
    ['maximum', (size, limit) => size <= limit, 'must be at most #'],
    ['exclusiveMinimum', (size, limit) => size > limit, 'must be more than #'],
    ['exclusiveMaximum', (size, limit) => size < limit, 'must be less than #'],
  ];

/** The message for the first violated limit whose keyword matches `kind`. */
function limitFaults(schema: FieldSchema, kind: RegExp, size: number): string[] {
  const broken = limits.find(([keyword, holds]) => {
    const limit = schema[keyword];
    return kind.test(keyword) && typeof limit === 'number' && !holds(size, limit);
  });
  return broken === undefined ? [] : [broken[2].replace('#', String(schema[broken[0]]))];
}

function numberFaults(schema: FieldSchema, value: number): string[] {
  if (schema['type'] === 'integer' && !Number.isInteger(value)) return ['a whole number is expected'];
  return limitFaults(schema, /imum$/, value);
}
