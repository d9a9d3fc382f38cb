/** Converts named Zod schemas, of version 3 or 4, to one JSON Schema document with references. */
import { isObject, type JsonObject } from '../../src/jsonrpc/message.ts';

/** Members of both Zod versions. Others are accessed by name. */
export interface ZodLike {
  readonly _def: Readonly<Record<string, unknown>>;
  isOptional(): boolean;
}

/** The document's definitions, by name. */
export function definitionsOf(schemas: ReadonlyMap<string, ZodLike>): Record<string, JsonObject> {
  const names = new Map<unknown, string>();
  for (const [name, schema] of schemas) if (!names.has(schema)) names.set(schema, name);
  return Object.fromEntries(
    [...schemas].map(([name, schema]) => [name, shapeOf(schema, names, names.get(schema) === name)]),
  );
}

function shapeOf(schema: ZodLike, names: ReadonlyMap<unknown, string>, itself = false): JsonObject {
  const name = names.get(schema);
  if (name !== undefined && !itself) return { $ref: `#/$defs/${name}` };
  const convert = (inner: unknown): JsonObject => shapeOf(inner as ZodLike, names); // every member of a schema is one
  const def = schema._def;
  const kind = String(def['typeName'] ?? def['type'])
    .replace(/^Zod/, '')
    .toLowerCase();
  switch (kind) {
    case 'object':
      return objectOf(schema, convert);
    case 'string':
    case 'boolean':
    case 'null':
      return { type: kind };
    case 'number':
      return numberOf(schema);
    case 'literal':
      return literalOf('values' in def ? (def['values'] as unknown[]) : [def['value']]);
    case 'enum':
      return { enum: Object.values((def['values'] ?? def['entries']) as object) };
    case 'array':
      return { type: 'array', items: convert(def['element'] ?? def['type']) };
    case 'union':
    case 'discriminatedunion':
      return { anyOf: (def['options'] as unknown[]).map(convert) };
    case 'nullable':
      return { anyOf: [convert(def['innerType']), { type: 'null' }] };
    case 'record':
      return { type: 'object', additionalProperties: convert(def['valueType']) };
    case 'intersection':
      return merged(flat(def['left'], names), flat(def['right'], names));
    case 'optional':
    case 'default':
    case 'catch':
    case 'readonly':
      return convert(def['innerType']);
    case 'lazy':
      return convert((def['getter'] as () => unknown)());
    case 'effects':
      return convert(def['schema']);
    case 'pipe':
      return convert(def['out']);
    case 'unknown':
    case 'any':
      return {};
    default:
      throw new Error(`A Zod schema of the kind ${kind} has no JSON Schema here; add it`);
  }
}

function literalOf(values: readonly unknown[]): JsonObject {
  return values.length === 1 ? { const: values[0] } : { enum: values };
}

function objectOf(schema: ZodLike, convert: (inner: unknown) => JsonObject): JsonObject {
  const { shape, catchall } = schema._def as { shape: unknown; catchall?: ZodLike };
  const members = Object.entries((typeof shape === 'function' ? shape() : shape) as Record<string, ZodLike>);
  const others = catchall === undefined ? {} : convertible(catchall) ? { additionalProperties: convert(catchall) } : {};
  // Without members, any object is valid.
  if (members.length === 0) return { type: 'object', ...others };
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, withFormat(name, convert(member))])),
    required: members.filter(([, member]) => !member.isOptional()).map(([name]) => name),
    ...others,
  };
}

/** Omits members of any type and forbidden members; the caller closes the document. */
function convertible({ _def: def }: ZodLike): boolean {
  return !/never|unknown|any/i.test(String(def['typeName'] ?? def['type']));
}

function numberOf(schema: ZodLike): JsonObject {
  const { isInt, minValue, maxValue } = schema as ZodLike & { isInt: boolean; minValue: unknown; maxValue: unknown };
  const bounded = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) < 2 ** 53 - 1;
  return {
    type: isInt ? 'integer' : 'number',
    ...(bounded(minValue) ? { minimum: minValue } : {}),
    ...(bounded(maxValue) ? { maximum: maxValue } : {}),
  };
}

/** Formats that Zod checks in code, if at all, and that the specification names. */
const FORMATS: Readonly<Record<string, string>> = {
  uri: 'uri',
  uriTemplate: 'uri-template',
  blob: 'byte',
  data: 'byte',
  url: 'uri',
};

function withFormat(name: string, shape: JsonObject): JsonObject {
  const format = shape['type'] === 'string' ? FORMATS[name] : undefined;
  return format === undefined ? shape : { ...shape, format };
}

/** Merges both sides of an intersection of objects. */
function flat(schema: unknown, names: ReadonlyMap<unknown, string>): JsonObject {
  return shapeOf(schema as ZodLike, names, true);
}

function merged(left: JsonObject, right: JsonObject): JsonObject {
  if (!isObject(left['properties']) || !isObject(right['properties']))
    return isObject(left['properties']) ? left : right;
  return {
    type: 'object',
    properties: { ...left['properties'], ...right['properties'] },
    required: [...new Set([...(left['required'] as string[]), ...(right['required'] as string[])])],
  };
}
