/** The schemas that an author can declare (Standard Schema, or plain JSON Schema), and the types inferred from them. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { isKeyword } from './keywords.ts';

/** Plain JSON Schema: 2020-12, or draft-07 if `$schema` names it. */
export type JsonSchema = JsonObject;

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
export type StandardResult<O> =
  | { readonly value: O; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** Converts a schema to JSON Schema; throws if JSON Schema has no equivalent. */
interface StandardConverter {
  input(options: { readonly target: string }): Record<string, unknown>;
  output(options: { readonly target: string }): Record<string, unknown>;
}

/** The members of Standard Schema v1 and Standard JSON Schema v1 that Mooring uses. */
export interface StandardSchema<I = unknown, O = I> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: I; readonly output: O } | undefined;
    validate(value: unknown): StandardResult<O> | Promise<StandardResult<O>>;
    readonly jsonSchema?: StandardConverter | undefined;
  };
}

/** A schema of any library that implements Standard Schema, or plain JSON Schema. */
export type Schema = StandardSchema | JsonSchema;

/**
 * Makes the compiler reject an object of schemas, such as `{ x: z.string() }`, which would pass as a JSON Schema without keywords.
 * Intersected with the type of the argument, it becomes an error message, to which no value can be assigned.
 */
export type SingleSchema<S> = S extends { readonly '~standard': unknown } | undefined
  ? unknown
  : true extends { [K in keyof S]: S[K] extends { readonly '~standard': unknown } ? true : false }[keyof S]
    ? 'This is an object of schemas. Wrap it, as in z.object({ … })'
    : unknown;

/** Makes the compiler reject a schema whose input is not an object: arguments have names. */
export type ObjectSchema<S> = S extends StandardTypes
  ? NonNullable<S['~standard']['types']>['input'] extends
      | string
      | number
      | boolean
      | null
      | undefined
      | readonly unknown[]
    ? 'Arguments have names. Wrap it, as in z.object({ … })'
    : unknown
  : unknown;

/** The member of a Standard Schema that carries its types. Matching only this member keeps type checking fast. */
interface StandardTypes {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined };
}

/** The input of a part without a schema: no arguments. */
type NoInput = { readonly [K in never]: never };

type InferSide<S, Side extends 'input' | 'output'> = S extends StandardTypes
  ? NonNullable<S['~standard']['types']>[Side]
  : S extends undefined
    ? NoInput
    : JsonObject;

/** The input type of a schema: what callers pass. Without a schema, an empty object. */
export type InferInput<S> = InferSide<S, 'input'>;
/** The output type of a schema, with defaults and coercions applied: what handlers get. */
export type InferOutput<S> = InferSide<S, 'output'>;

// Any object is a valid JSON Schema if unknown keywords are ignored, so objects that do not look like a schema are rejected.

export function isStandard(schema: unknown): schema is StandardSchema {
  const standard = memberOf(schema, '~standard');
  return isObject(standard) && typeof standard['validate'] === 'function';
}

/** Why an object is not a JSON Schema. */
export function jsonSchemaFault(schema: JsonObject): string | undefined {
  const found = Object.entries(schema).find(([, member]) => vendorOf(member) !== undefined);
  if (found !== undefined)
    return `it is an object of schemas; wrap it: ${wrappingExample(vendorOf(found[1]), found[0])}`;
  const names = Object.keys(schema);
  if (names.length === 0 || names.some(isKeyword)) return undefined;
  const shown = names.slice(0, 3).join(', ').slice(0, 80);
  return `none of its members (${shown}) is a keyword of JSON Schema; put properties under "properties", or wrap them: ${wrappingExample(undefined, names[0])}`;
}

/** The library that made the schema; `undefined` if no library did. */
export function vendorOf(member: unknown): string | undefined {
  // `z.toJSONSchema` returns a JSON Schema, with zod's own checks in a non-enumerable `~standard`.
  const hidden = Object.getOwnPropertyDescriptor(Object(member), '~standard')?.enumerable === false;
  const isJson = hidden && Object.getPrototypeOf(member) === Object.prototype;
  if (isStandard(member) && !isJson) return member['~standard'].vendor;
  // Zod before 3.24 does not implement Standard Schema.
  return memberOf(member, '_def') !== undefined && typeof memberOf(member, 'safeParse') === 'function'
    ? 'zod'
    : undefined;
}

function wrappingExample(vendor: string | undefined, name = 'x'): string {
  const members = `{ ${/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)}: … }`;
  if (vendor === 'valibot') return `toStandardJsonSchema(v.object(${members}))`;
  return vendor === 'arktype' ? `type(${members})` : `z.object(${members})`;
}

/** Reads a member of an object or a function: ArkType's schemas are functions. */
const memberOf = (value: unknown, key: string): unknown =>
  isObject(value) || typeof value === 'function' ? (value as JsonObject)[key] : undefined; // both have members
