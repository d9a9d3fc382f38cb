/** Checking values: against what an author declared, and against what a peer sent. */
import { McpError } from '../errors.ts';
import { costsOf } from './cost.ts';
import { emit } from './emit.ts';
import { type Issue, pathOf, type Validate } from './issues.ts';
import { isObject } from './keywords.ts';
import { type Node, type Reading, readSchema, tooCostly } from './read.ts';
import type { JsonObject, Schema, StandardIssue, StandardResult, StandardSchema } from './standard.ts';
import { compile } from './validators/compile.ts';

export type Checked<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export interface Checker {
  /** The schema as JSON Schema, as it is published. */
  readonly jsonSchema: JsonObject;
  /** A promise only where the schema itself is asynchronous, or its validator has still to be loaded. */
  check(value: unknown): Checked | Promise<Checked>;
}

export interface About {
  /** Whose schema it is, for error texts: `the input of tool "refund"`. */
  readonly what: string;
  readonly side: 'input' | 'output';
}

export interface ForeignOptions {
  /** Told in words about each regular expression that is left out because it could take too long. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

const MAX_FOREIGN_BYTES = 65_536;
const MAX_FOREIGN_DEPTH = 64;
const MAX_FOREIGN_SUBSCHEMAS = 2_000;
/** From so many subschemas on, generating code for them takes too long: more than a tenth of a second. */
const MAX_GENERATED = 200;
const MAX_FOREIGN_GENERATED = 100;
/** Deeper than anybody writes by hand; keeps the stack whole. */
const MAX_DEPTH = 500;

/** Checks against the author's own schema. Throws `McpError` at once when that schema cannot be used. */
export function checker(schema: Schema, about: About): Checker {
  if (isStandard(schema)) return standardChecker(schema, about);
  const { what } = about;
  if (!isObject(schema)) throw unsupported(what, 'it must be a Standard Schema or a JSON Schema object');
  textOf(schema, what);
  const reading = { what, trusted: true, depth: MAX_DEPTH, subschemas: Number.POSITIVE_INFINITY };
  return jsonChecker(schema, reading);
}

/**
 * Checks against a peer's schema, of which nothing is trusted. Throws `McpError` at once when it is refused; `check` throws
 * one when the schema and the value together could take too long.
 */
export function foreignChecker(schema: JsonObject, what: string, options: ForeignOptions = {}): Checker {
  if (!isObject(schema)) throw unsupported(what, 'it is not an object');
  if (new TextEncoder().encode(textOf(schema, what)).length > MAX_FOREIGN_BYTES) {
    throw tooCostly(what, `it is larger than ${MAX_FOREIGN_BYTES} bytes`);
  }
  const limits = { depth: MAX_FOREIGN_DEPTH, subschemas: MAX_FOREIGN_SUBSCHEMAS };
  return jsonChecker(schema, { what, trusted: false, ...limits, onWarning: options.onWarning });
}

/** The schema with the root `type: 'object'` that it may have left out. Throws when its root says another type. */
export function objectSchema(schema: JsonObject, what = 'an object'): JsonObject {
  const { type } = schema;
  if (type === 'object') return schema;
  if (type === undefined) return { type: 'object', ...schema };
  throw unsupported(what, `its root must have "type": "object", not ${JSON.stringify(type)}`);
}

function isStandard(schema: Schema): schema is StandardSchema {
  // ArkType's schemas are functions.
  const standard: unknown = (typeof schema === 'object' || typeof schema === 'function') && schema?.['~standard'];
  return isObject(standard) && typeof standard['validate'] === 'function';
}

function standardChecker(schema: StandardSchema, { what, side }: About): Checker {
  const standard = schema['~standard'];
  return {
    jsonSchema: convert(standard, what, side),
    check(value) {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then(checked) : checked(result);
    },
  };
}

function convert({ vendor, jsonSchema }: StandardSchema['~standard'], what: string, side: About['side']): JsonObject {
  if (jsonSchema === undefined) {
    const fix =
      vendor === 'zod'
        ? 'upgrade zod to 4.2 or later, or, with zod/mini, give z.toJSONSchema(schema)'
        : vendor === 'valibot'
          ? 'wrap it with toStandardJsonSchema from @valibot/to-json-schema'
          : 'give plain JSON Schema instead';
    throw unsupported(what, `this ${vendor} schema cannot be turned into JSON Schema; ${fix}`);
  }
  try {
    return jsonSchema[side]({ target: 'draft-2020-12' });
  } catch (cause) {
    throw unsupported(what, `${vendor} cannot turn it into JSON Schema: ${messageOf(cause)}`, cause);
  }
}

const checked = (result: StandardResult<unknown>): Checked =>
  result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: result.issues.map(({ path, message }) => ({ path: pathOf(keysOf(path)), message })) };

const keysOf = (path: StandardIssue['path'] = []): PropertyKey[] =>
  path.map((segment) => (typeof segment === 'object' ? segment.key : segment));

function jsonChecker(schema: JsonObject, reading: Reading): Checker {
  const { what, trusted } = reading;
  const [root, costs] = orUnsupported(what, () => {
    const node = readSchema(schema, reading);
    return [node, costsOf(node, what, trusted)] as const;
  });
  let validate: Validate | Promise<Validate> | undefined;
  const load = async (graph: Node): Promise<Validate> => {
    try {
      const { schema, subschemas, delicate } = emit(graph, costs.tags);
      const large = subschemas > (trusted ? MAX_GENERATED : MAX_FOREIGN_GENERATED);
      const compiled = await compile(schema, !large && !delicate);
      validate = trusted ? guarded(compiled, costs.admit) : compiled;
      return validate;
    } catch (cause) {
      throw unsupported(what, messageOf(cause), cause);
    }
  };
  return {
    jsonSchema: schema,
    check(value) {
      if (!trusted) costs.admit(value);
      validate ??= load(root);
      return validate instanceof Promise
        ? validate.then((loaded) => run(loaded, value, trusted))
        : run(validate, value, trusted);
    },
  };
}

function run(validate: Validate, value: unknown, trusted: boolean): Checked {
  let issues = attempt(() => validate(value));
  // What the author's own code made may hold dates or undefined members; it is sent, and so judged, without them.
  if (issues !== undefined && trusted) issues = attempt(() => validate(JSON.parse(JSON.stringify(value)))) && issues;
  return issues === undefined ? { ok: true, value } : { ok: false, issues };
}

/** A value that costs too much is wrong where the schema is our own; where it is not, the schema may be to blame. */
const guarded =
  (validate: Validate, admit: (value: unknown) => void): Validate =>
  (value) => {
    admit(value);
    return validate(value);
  };

/** A value too deep for the stack, or no JSON at all, is wrong as well. */
function attempt(validate: () => readonly Issue[] | undefined): readonly Issue[] | undefined {
  try {
    return validate();
  } catch (cause) {
    return [{ path: '', message: `cannot be checked: ${messageOf(cause)}` }];
  }
}

const textOf = (schema: JsonObject, what: string): string => orUnsupported(what, () => JSON.stringify(schema));

/** Whatever else goes wrong, such as a stack that is too small, is the schema's fault as well. */
function orUnsupported<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof McpError) throw cause;
    throw unsupported(what, messageOf(cause), cause);
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const unsupported = (what: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_SCHEMA_UNSUPPORTED', { what, why }, { cause });
