/** What a user may declare: a Standard Schema with its JSON Schema part, or plain JSON Schema; and what types follow from it. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { isKeyword } from './keywords.ts';
/** Plain JSON Schema: 2020-12, or draft-07 where `$schema` says so. */
export type JsonSchema = JsonObject;

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
export type StandardResult<O> =
  | { readonly value: O; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** Turns a schema into JSON Schema; throws where it has no equivalent there. */
interface StandardConverter {
  input(options: { readonly target: string }): Record<string, unknown>;
  output(options: { readonly target: string }): Record<string, unknown>;
}

/** Standard Schema v1 and Standard JSON Schema v1: the parts that are used here. */
export interface StandardSchema<I = unknown, O = I> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: I; readonly output: O } | undefined;
    validate(value: unknown): StandardResult<O> | Promise<StandardResult<O>>;
    readonly jsonSchema?: StandardConverter | undefined;
  };
}

/** A schema of any library that speaks Standard Schema, or plain JSON Schema. */
export type Schema = StandardSchema | JsonSchema;

/**
 * A type that nothing fits where the schema is an object of schemas, such as `{ x: z.string() }`: that would be a JSON Schema
 * that says nothing. Intersected with the type of what is given, it makes the compiler say so.
 */
export type SingleSchema<S> = S extends { readonly '~standard': unknown } | undefined
  ? unknown
  : true extends { [K in keyof S]: S[K] extends { readonly '~standard': unknown } ? true : false }[keyof S]
    ? 'This is an object of schemas. Wrap it, as in z.object({ … })'
    : unknown;

/** A type that nothing fits where the schema takes no object, since arguments have names. */
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

/** The part of a Standard Schema that carries its types; matching this little keeps the compiler quick. */
interface StandardTypes {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined };
}

/** Without a schema there are no arguments. */
type NoInput = { readonly [K in never]: never };

type InferSide<S, Side extends 'input' | 'output'> = S extends StandardTypes
  ? NonNullable<S['~standard']['types']>[Side]
  : S extends undefined
    ? NoInput
    : JsonObject;

/** What may be given to the schema: what callers write. Without a schema, nothing. */
export type InferInput<S> = InferSide<S, 'input'>;
/** What comes out of the schema, defaults and coercions applied: what handlers read. */
export type InferOutput<S> = InferSide<S, 'output'>;

// Any object could pass for a JSON Schema that says nothing, so what looks unlike a schema is rejected.

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

/** Whose schema it is; `undefined` where it is none. */
export function vendorOf(member: unknown): string | undefined {
  // What `z.toJSONSchema` makes is a JSON Schema, with the library's own checks hidden in it.
  const hidden = Object.getOwnPropertyDescriptor(Object(member), '~standard')?.enumerable === false;
  const isJson = hidden && Object.getPrototypeOf(member) === Object.prototype;
  if (isStandard(member) && !isJson) return member['~standard'].vendor;
  // Zod before 3.24 does not speak Standard Schema.
  return memberOf(member, '_def') !== undefined && typeof memberOf(member, 'safeParse') === 'function'
    ? 'zod'
    : undefined;
}

function wrappingExample(vendor: string | undefined, name = 'x'): string {
  const members = `{ ${/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)}: … }`;
  if (vendor === 'valibot') return `toStandardJsonSchema(v.object(${members}))`;
  return vendor === 'arktype' ? `type(${members})` : `z.object(${members})`;
}

/** A member of whatever it is: ArkType's schemas are functions. */
const memberOf = (value: unknown, key: string): unknown =>
  isObject(value) || typeof value === 'function' ? (value as JsonObject)[key] : undefined; // both have members
