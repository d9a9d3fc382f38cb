/** Creates the checker of a schema that an author declared: a Standard Schema, or plain JSON Schema. */
import { type McpError, messageOf } from '../errors.ts';
import { isObject, isPromise, type JsonObject } from '../jsonrpc/message.ts';
import { type Checked, type Checker, pathOf } from './issues.ts';
import { withoutDefaultDialect } from './keywords.ts';
import { readSchema, type SchemaGraph } from './read.ts';
import { blameSchema, unsupportedSchema } from './schema-errors.ts';
import {
  isStandard,
  type JsonSchema,
  jsonSchemaFault,
  type Schema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  vendorOf,
} from './standard.ts';

export interface SchemaLabel {
  /** The owner of the schema, for error texts: `the input of tool "refund"`. */
  readonly what: string;
  readonly side: 'input' | 'output';
}

/** Nesting limit of an author's schema, so that reading it cannot overflow the stack. */
const MAX_DEPTH = 500;

/** The function `ownChecker`, passed in by a caller that has loaded it and needs the proof synchronously. */
export type OwnChecker = (schema: JsonSchema, graph: SchemaGraph, what: string) => Checker;

/** Throws `McpError` if the schema is unsupported. `prepare` and `check` reject with one if a check could take too long. */
export function checker(schema: Schema, about: SchemaLabel, own?: OwnChecker): Checker {
  if (isStandard(schema)) return standardChecker(schema, about);
  // Zod before 3.24, which does not implement Standard Schema.
  const vendor = vendorOf(schema);
  if (vendor !== undefined) throw notConvertible(vendor, about.what);
  if (isObject(schema)) {
    const fault = jsonSchemaFault(schema);
    if (fault !== undefined) throw unsupportedSchema(about.what, fault);
    return plainChecker(schema, about.what, own);
  }
  throw unsupportedSchema(about.what, 'it must be a Standard Schema or a JSON Schema object');
}

/** Adds `type: 'object'` to a root without a type. Throws if the root has another type. */
export function objectSchema(schema: JsonObject, what = 'an object'): JsonObject {
  const { type } = schema;
  if (type === 'object') return schema;
  if (type === undefined) return { type: 'object', ...schema };
  throw unsupportedSchema(what, `its root must have "type": "object", not ${JSON.stringify(type)}`);
}

function standardChecker(schema: StandardSchema, { what, side }: SchemaLabel): Checker {
  const standard = schema['~standard'];
  return {
    jsonSchema: toJsonSchema(standard, what, side),
    check(value) {
      const result = standard.validate(value);
      // Fast path: a result with `value` is not a promise. Nearly every check ends here.
      if ('value' in result && result.issues === undefined) return { ok: true, value: result.value };
      return isPromise(result) ? Promise.resolve(result).then(toChecked) : toChecked(result);
    },
  };
}

function notConvertible(vendor: string, what: string): McpError {
  const fix =
    vendor === 'zod'
      ? 'upgrade zod to 4.2 or later, or, with zod/mini, give z.toJSONSchema(schema)'
      : vendor === 'valibot'
        ? 'wrap it with toStandardJsonSchema from @valibot/to-json-schema'
        : 'give plain JSON Schema instead';
  return unsupportedSchema(what, `this ${vendor} schema cannot be turned into JSON Schema; ${fix}`);
}

function toJsonSchema(
  { vendor, jsonSchema }: StandardSchema['~standard'],
  what: string,
  side: SchemaLabel['side'],
): JsonObject {
  if (jsonSchema === undefined) throw notConvertible(vendor, what);
  try {
    return withoutDefaultDialect(jsonSchema[side]({ target: 'draft-2020-12' }));
  } catch (cause) {
    const why = messageOf(cause);
    const fix = /^Date /.test(why) ? '. Use z.iso.datetime(), or z.iso.date()' : '';
    throw unsupportedSchema(what, `${vendor} cannot turn it into JSON Schema: ${why}${fix}`, cause);
  }
}

const toChecked = (result: StandardResult<unknown>): Checked =>
  result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: result.issues.map(({ path, message }) => ({ path: pathOf(keysOf(path)), message })) };

const keysOf = (path: StandardIssue['path'] = []): PropertyKey[] =>
  path.map((segment) => (typeof segment === 'object' ? segment.key : segment));

/** Reads the schema at once. The cost of a check is proven before the first one, since the code for it is loaded lazily. */
function plainChecker(schema: JsonSchema, what: string, loaded: OwnChecker | undefined): Checker {
  const own = blameSchema(what, () => {
    JSON.stringify(schema); // throws for cycles
    return readSchema(schema, { what, depth: MAX_DEPTH, subschemas: Number.POSITIVE_INFINITY });
  });
  if (loaded !== undefined) return loaded(schema, own, what);
  let proving: Promise<Checker> | undefined;
  const prove = (): Promise<Checker> => {
    proving ??= import('./own-checker.ts').then(({ ownChecker }) => {
      const proven = ownChecker(schema, own, what);
      // Later checks call the validator directly, without awaiting the import.
      unproven.check = proven.check;
      return proven;
    });
    return proving;
  };
  const unproven: Checker = {
    jsonSchema: schema,
    prepare: async () => void (await prove()),
    check: (value) => prove().then((proven) => proven.check(value)),
  };
  return unproven;
}
