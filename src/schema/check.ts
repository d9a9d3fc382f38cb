/** Checking values against what an author declared. */
import { isPromise } from '../jsonrpc/message.ts';
import { costsOf } from './cost.ts';
import { withoutDefaultDialect } from './dialect.ts';
import { type Checked, type Checker, type Issue, messageOf, pathOf, type Validate } from './issues.ts';
import { attempt, jsonChecker, reading, unsupported } from './json.ts';
import { isObject } from './keywords.ts';
import { readSchema } from './read.ts';
import { isStandard, shapeFault } from './shape.ts';
import type { JsonObject, JsonSchema, Schema, StandardIssue, StandardResult, StandardSchema } from './standard.ts';
import { canGenerate } from './validators/compile.ts';
import { leastFor } from './weigh.ts';

export interface About {
  /** Whose schema it is, for error texts: `the input of tool "refund"`. */
  readonly what: string;
  readonly side: 'input' | 'output';
}

/** Deeper than anybody writes by hand; keeps the stack whole. */
const MAX_DEPTH = 500;
/** How many counts of evaluations may have to be kept apart: more than for a peer's schema, which may be made to be large. */
const MAX_COUNTS = 200_000;
/** Code for more subschemas takes more than a tenth of a second to make. */
const MAX_GENERATED = 200;

/** Throws `McpError` at once when the schema cannot be used. */
export function checker(schema: Schema, about: About): Checker {
  if (isStandard(schema)) return standardChecker(schema, about);
  if (isObject(schema)) {
    const fault = shapeFault(schema);
    if (fault !== undefined) throw unsupported(about.what, fault);
    return plainChecker(schema, about.what);
  }
  throw unsupported(about.what, 'it must be a Standard Schema or a JSON Schema object');
}

/** The schema with the root `type: 'object'` that it may have left out. Throws when its root says another type. */
export function objectSchema(schema: JsonObject, what = 'an object'): JsonObject {
  const { type } = schema;
  if (type === 'object') return schema;
  if (type === undefined) return { type: 'object', ...schema };
  throw unsupported(what, `its root must have "type": "object", not ${JSON.stringify(type)}`);
}

function standardChecker(schema: StandardSchema, { what, side }: About): Checker {
  const standard = schema['~standard'];
  return {
    jsonSchema: convert(standard, what, side),
    check(value) {
      const result = standard.validate(value);
      // What has a value is no promise: nearly every check ends here.
      if ('value' in result && result.issues === undefined) return { ok: true, value: result.value };
      return isPromise(result) ? Promise.resolve(result).then(checked) : checked(result);
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
    return withoutDefaultDialect(jsonSchema[side]({ target: 'draft-2020-12' }));
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

function plainChecker(schema: JsonSchema, what: string): Checker {
  const { root, generate, costs } = reading(what, () => {
    JSON.stringify(schema);
    const { root, nodes } = readSchema(schema, { what, depth: MAX_DEPTH, subschemas: Number.POSITIVE_INFINITY });
    const generate = canGenerate(nodes, MAX_GENERATED);
    const costs = costsOf(root, what, { least: leastFor(generate), counts: MAX_COUNTS });
    return { root, generate, costs };
  });
  const { tags, harmless, excess } = costs;
  const judge = (validate: Validate, value: unknown): readonly Issue[] | undefined => {
    const once = (make: () => unknown): readonly Issue[] | undefined =>
      attempt(() => {
        const made = make();
        const why = harmless ? undefined : excess(made);
        if (why !== undefined) throw new RangeError(why);
        return validate(made);
      });
    const issues = once(() => value);
    // What the author's own code made may hold dates or undefined members; it is sent, and so judged, without them.
    return issues && once(() => JSON.parse(JSON.stringify(value))) && issues;
  };
  return jsonChecker(schema, root, { what, generate, tags, judge });
}
