/** Checking values against what an author declared. */
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
  /** Whose schema it is, for error texts: `the input of tool "refund"`. */
  readonly what: string;
  readonly side: 'input' | 'output';
}

/** Keeps the stack from overflowing. */
const MAX_DEPTH = 500;

/** Proves what a check can cost. Passed in by a caller that has it loaded, and cannot wait for it. */
export type OwnChecker = (schema: JsonSchema, graph: SchemaGraph, what: string) => Checker;

/** Throws `McpError` at once when the schema cannot be used; `prepare` and `check` reject with one when a check could take too long. */
export function checker(schema: Schema, about: SchemaLabel, own?: OwnChecker): Checker {
  if (isStandard(schema)) return standardChecker(schema, about);
  // Before it spoke Standard Schema.
  const vendor = vendorOf(schema);
  if (vendor !== undefined) throw notConvertible(vendor, about.what);
  if (isObject(schema)) {
    const fault = jsonSchemaFault(schema);
    if (fault !== undefined) throw unsupportedSchema(about.what, fault);
    return plainChecker(schema, about.what, own);
  }
  throw unsupportedSchema(about.what, 'it must be a Standard Schema or a JSON Schema object');
}

/** The schema with the root `type: 'object'` that it may have left out. Throws when its root says another type. */
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
      // What has a value is no promise: nearly every check ends here.
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

/** The schema is read at once. What a check can cost is proven, by code that is loaded late, before the first of them. */
function plainChecker(schema: JsonSchema, what: string, loaded: OwnChecker | undefined): Checker {
  const own = blameSchema(what, () => {
    JSON.stringify(schema);
    return readSchema(schema, { what, depth: MAX_DEPTH, subschemas: Number.POSITIVE_INFINITY });
  });
  if (loaded !== undefined) return loaded(schema, own, what);
  let proving: Promise<Checker> | undefined;
  const prove = (): Promise<Checker> => {
    proving ??= import('./own-checker.ts').then(({ ownChecker }) => {
      const proven = ownChecker(schema, own, what);
      // From now on nothing stands between a call and the validator.
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
