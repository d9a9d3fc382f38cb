/** Maps a JSON Schema to form fields. Pure functions: the JSON text holds the value; a field describes how to display and edit a part. */
import { ReadingBudget } from '../../../schema/reading-budget.ts';
import {
  asJsonList,
  asJsonText,
  asSchema,
  type FieldSchema,
  isJsonObject,
  MAX_REFERENCES,
  MAX_SCHEMA_PARTS,
  mergeSchemas,
  resolveSchema,
  typesOf,
} from './field-schema.ts';
import type { JsonValue } from './json-text.ts';

export interface FormOption {
  readonly value: JsonValue;
  readonly title: string;
}

/** How a value is edited. `json` is the fallback: a text input for JSON. */
export type FieldKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'object'
  | 'array'
  | 'union'
  | 'constant'
  | 'json';

export interface FormField {
  readonly kind: FieldKind;
  readonly schema: FieldSchema;
  readonly nullable: boolean;
  /** The expected type for display, such as "text" or "whole number". */
  readonly expects: string;
  readonly options?: readonly FormOption[];
  /** For a union: its alternatives. */
  readonly variants?: readonly { readonly title: string; readonly schema: FieldSchema }[];
}

/** A member of an object: declared by the schema, or present only in the value. */
export interface FormMember {
  readonly name: string;
  readonly schema: FieldSchema;
  readonly isRequired: boolean;
}

/** The field for a schema. */
export function fieldOf(raw: FieldSchema, root: FieldSchema, depth = 0): FormField {
  // Stops at schemas that recurse without end, such as a list of itself.
  const schema = depth > MAX_REFERENCES ? {} : resolveSchema(raw, root);
  const union = unionOf(schema, root, depth);
  if (union !== undefined) return union;
  const types = typesOf(schema).filter((type) => type !== 'null');
  const nullable = typesOf(schema).includes('null');
  const base = { schema, nullable };
  if (schema['const'] !== undefined) return { ...base, kind: 'constant', expects: 'constant' };
  const options = enumOptions(schema);
  if (options !== undefined) {
    const rest = options.filter(({ value }) => value !== null);
    return {
      ...base,
      nullable: nullable || rest.length < options.length,
      kind: 'choice',
      options: rest,
      expects: 'one option',
    };
  }
  const type = types.length === 1 ? types[0] : types.length === 0 ? guessedType(schema) : undefined;
  return { ...base, ...byType(schema, type, () => fieldOf(asSchema(schema['items']), root, depth + 1)) };
}

function byType(
  schema: FieldSchema,
  type: JsonValue | undefined,
  itemField: () => FormField,
): Pick<FormField, 'kind' | 'expects' | 'options'> {
  switch (type) {
    case 'string':
      return { kind: 'text', expects: asJsonText(schema['format']) ?? 'text' };
    case 'number':
      return { kind: 'number', expects: 'number' };
    case 'integer':
      return { kind: 'number', expects: 'whole number' };
    case 'boolean':
      return { kind: 'boolean', expects: 'true or false' };
    case 'object':
      return isOpen(schema) ? { kind: 'json', expects: 'object' } : { kind: 'object', expects: 'object' };
    case 'array': {
      const item = itemField();
      if (
        item.kind === 'choice' &&
        item.options !== undefined &&
        schema['uniqueItems'] !== false &&
        schema['prefixItems'] === undefined
      )
        return { kind: 'choices', options: item.options, expects: 'any options' };
      return schema['items'] === undefined && schema['prefixItems'] === undefined
        ? { kind: 'json', expects: 'list' }
        : { kind: 'array', expects: 'list' };
    }
    default:
      return { kind: 'json', expects: 'JSON' };
  }
}

function guessedType(schema: FieldSchema): string | undefined {
  if (schema['properties'] !== undefined) return 'object';
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
  return undefined;
}

/** Whether the schema says nothing about the object's members. */
function isOpen(schema: FieldSchema): boolean {
  return (
    Object.keys(asSchema(schema['properties'])).length === 0 &&
    !isJsonObject(schema['additionalProperties']) &&
    schema['additionalProperties'] !== false
  );
}

/** The options of an `enum`, or of a `oneOf`/`anyOf` that consists of constants. */
function enumOptions(schema: FieldSchema): FormOption[] | undefined {
  if (Array.isArray(schema['enum'])) {
    const names = asJsonList(schema['enumNames']);
    return schema['enum'].map((value, at) => ({ value, title: asJsonText(names[at]) ?? shownValue(value) }));
  }
  const all = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(all) || all.length === 0) return undefined;
  const options = all.flatMap((one) => {
    const { const: value, title, type } = asSchema(one);
    if (value !== undefined) return [{ value, title: asJsonText(title) ?? shownValue(value) }];
    return type === 'null' ? [{ value: null, title: 'null' }] : [];
  });
  return options.length === all.length && options.some(({ value }) => value !== null) ? options : undefined;
}

function shownValue(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function unionOf(schema: FieldSchema, root: FieldSchema, depth: number): FormField | undefined {
  if (enumOptions(schema) !== undefined) return undefined;
  const all = asJsonList(schema['oneOf'] ?? schema['anyOf']);
  if (all.length === 0) return undefined;
  const { oneOf: _, anyOf: __, ...rest } = schema;
  const resolved = all
    .map((one) => resolveSchema(asSchema(one), root))
    .filter((one) => !leadsBackTo(one, all, root))
    .map((one) => mergeSchemas(rest, one));
  if (resolved.length === 0) return undefined;
  const some = resolved.filter((one) => !(typesOf(one).length === 1 && typesOf(one)[0] === 'null'));
  const nullable = some.length < resolved.length;
  const [only] = some;
  if (some.length === 1 && only !== undefined) {
    const field = fieldOf(only, root, depth + 1);
    return { ...field, nullable: nullable || field.nullable };
  }
  const variants = some.map((one, at) => ({ title: variantTitle(one, root, at), schema: one }));
  return { kind: 'union', schema, nullable, variants, expects: `one of ${variants.length} variants` };
}

/** Whether an alternative is, directly or through other unions, the union `all` itself. It adds nothing, and would recurse forever. */
function leadsBackTo(alternative: FieldSchema, all: readonly JsonValue[], root: FieldSchema): boolean {
  const seen = new Set<unknown>();
  const open = [alternative];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const inner = asJsonList(one['oneOf'] ?? one['anyOf']);
    if (inner === all) return true;
    if (inner.length === 0 || seen.has(inner)) continue;
    seen.add(inner);
    open.push(...inner.map((part) => resolveSchema(asSchema(part), root)));
  }
  return false;
}

/** The label of an alternative: its title, its constant member, its required members, its properties or its type. */
function variantTitle(schema: FieldSchema, root: FieldSchema, at: number): string {
  const title = asJsonText(schema['title']);
  if (title !== undefined) return title;
  for (const [name, member] of Object.entries(asSchema(schema['properties']))) {
    const { const: value } = resolveSchema(asSchema(member), root);
    if (value !== undefined) return `${name} ${shownValue(value)}`;
  }
  const required = asJsonList(schema['required']).join(', ');
  if (required !== '') return required;
  const properties = Object.keys(asSchema(schema['properties'])).join(', ');
  return properties === '' ? (asJsonText(schema['type']) ?? `variant ${at + 1}`) : properties;
}

/** The members of an object: those of the schema, then those that only the value has. */
export function membersOf(field: FormField, value: JsonValue | undefined): FormMember[] {
  const required = asJsonList(field.schema['required']);
  const named = Object.entries(asSchema(field.schema['properties'])).map(([name, schema]) => ({
    name,
    schema: asSchema(schema),
    isRequired: required.includes(name),
  }));
  const extra = isJsonObject(value) ? Object.keys(value).filter((name) => named.every((one) => one.name !== name)) : [];
  const schema = asSchema(field.schema['additionalProperties']);
  return [...named, ...extra.map((name) => ({ name, schema, isRequired: false }))];
}

/** Whether the user can add members with names of their choice. */
export function canAddMembers(field: FormField): boolean {
  return isJsonObject(field.schema['additionalProperties']);
}

export function itemSchema(field: FormField, at: number): FieldSchema {
  const fixed = asJsonList(field.schema['prefixItems']);
  return asSchema(fixed[at] ?? field.schema['items']);
}

/** The initial value of a field: its default, its constant, or the minimal value of its type. */
export function initialValue(
  raw: FieldSchema,
  root: FieldSchema,
  budget: ReadingBudget = new ReadingBudget(MAX_SCHEMA_PARTS),
  depth = 0,
): JsonValue {
  if (depth > MAX_REFERENCES || !budget.take()) return {};
  const field = fieldOf(raw, root);
  const { schema } = field;
  if (schema['default'] !== undefined) return schema['default'];
  if (schema['const'] !== undefined) return schema['const'];
  switch (field.kind) {
    case 'object': {
      const members = membersOf(field, undefined).flatMap((member): [string, JsonValue][] => {
        const inner = resolveSchema(member.schema, root);
        if (inner['default'] !== undefined) return [[member.name, inner['default']]];
        if (!member.isRequired) return [];
        if (inner['const'] !== undefined) return [[member.name, inner['const']]];
        const isNested = depth < MAX_REFERENCES && fieldOf(inner, root).kind === 'object';
        return isNested ? [[member.name, initialValue(inner, root, budget, depth + 1)]] : [];
      });
      return Object.fromEntries(members);
    }
    case 'array':
    case 'choices':
      return [];
    case 'union':
      return initialValue(field.variants?.[0]?.schema ?? {}, root, budget, depth + 1);
    case 'choice':
      return field.options?.[0]?.value ?? null;
    case 'boolean':
      return false;
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
    case 'text':
      return '';
    default:
      return schema['type'] === 'array' ? [] : {};
  }
}

/** The text of an input. A number keeps its spelling of the JSON text (`source`). */
export function inputText(field: FormField, value: JsonValue | undefined, source: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return field.kind === 'number' ? source : JSON.stringify(value);
}

/** Parses an input. An invalid number stays a string, so that nothing typed is lost. An empty optional field is left out (undefined). */
export function inputValue(field: FormField, text: string, isRequired: boolean): JsonValue | undefined {
  if (text === '' && (!isRequired || field.kind === 'number')) return undefined;
  if (field.kind === 'number' && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  return text;
}
