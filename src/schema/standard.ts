/** What a user may declare: a Standard Schema with its JSON Schema part, or plain JSON Schema; and what types follow from it. */

/** A JSON object whose members nobody has looked at yet. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

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

/** Standard Schema v1 and, beside it, Standard JSON Schema v1: the parts that are used here. */
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
export type Whole<S> = S extends { readonly '~standard': unknown } | undefined
  ? unknown
  : true extends { [K in keyof S]: S[K] extends { readonly '~standard': unknown } ? true : false }[keyof S]
    ? 'This is an object of schemas. Wrap it, as in z.object({ … })'
    : unknown;

/** The part of a Standard Schema that carries its types; matching this little keeps the compiler quick. */
interface StandardTypes {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined };
}

/** What may be given to the schema: what callers write. Without a schema, nothing. */
export type InferInput<S> = S extends StandardTypes
  ? NonNullable<S['~standard']['types']>['input']
  : S extends undefined
    ? Record<never, never>
    : JsonObject;

/** What comes out of the schema, defaults and coercions applied: what handlers read. */
export type InferOutput<S> = S extends StandardTypes
  ? NonNullable<S['~standard']['types']>['output']
  : S extends undefined
    ? Record<never, never>
    : JsonObject;
