/** Checking values against a peer's schema, of which nothing is trusted. */
import { costsOf } from './cost.ts';
import { type Checker, type Issue, messageOf, type Validate } from './issues.ts';
import { attempt, jsonChecker, reading, unsupported } from './json.ts';
import { isObject } from './keywords.ts';
import { stepsPerCharacter } from './linear.ts';
import { quote, readSchema, tooCostly } from './read.ts';
import type { JsonObject } from './standard.ts';
import { canGenerate } from './validators/compile.ts';
import { leastFor } from './weigh.ts';

export interface ForeignOptions {
  /** Told in words about each regular expression that is left out because it could take too long. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

const MAX_BYTES = 65_536;
const MAX_DEPTH = 64;
const MAX_SUBSCHEMAS = 2_000;
/** Code for more subschemas takes too long to make. */
const MAX_GENERATED = 100;
/** How many counts of evaluations may have to be kept apart. */
const MAX_COUNTS = 10_000;
/** About a tenth of a second, for all regular expressions of one schema together. */
const MAX_EFFORT = 250_000;

/**
 * Throws `McpError` at once when the schema is refused; `check` throws one when schema and value together could take too long.
 */
export function foreignChecker(schema: JsonObject, what: string, options: ForeignOptions = {}): Checker {
  if (!isObject(schema)) throw unsupported(what, 'it is not an object');
  const text = reading(what, () => JSON.stringify(schema));
  if (new TextEncoder().encode(text).length > MAX_BYTES) throw tooCostly(what, `it is larger than ${MAX_BYTES} bytes`);
  const judge = patternJudge(what, options);
  return reading(what, () => {
    const { root, nodes } = readSchema(schema, { what, depth: MAX_DEPTH, subschemas: MAX_SUBSCHEMAS, judge });
    const generate = canGenerate(nodes, MAX_GENERATED);
    const { tags, excess } = costsOf(root, what, { least: leastFor(generate), counts: MAX_COUNTS });
    const admit = (value: unknown): void => {
      const why = excess(value);
      if (why !== undefined) throw tooCostly(what, why);
    };
    return jsonChecker(schema, root, { what, generate, tags, admit, judge: attempting });
  });
}

const attempting = (validate: Validate, value: unknown): readonly Issue[] | undefined => attempt(() => validate(value));

function patternJudge(what: string, { onWarning }: ForeignOptions): (pattern: string) => number | undefined {
  const effort = { left: MAX_EFFORT };
  return (pattern) => {
    let why = 'it could take too long';
    try {
      new RegExp(pattern, 'u');
      const steps = stepsPerCharacter(pattern, effort);
      if (steps !== undefined) return steps;
    } catch (cause) {
      why = messageOf(cause);
    }
    onWarning?.(`In the schema of ${what}, the pattern ${quote(pattern)} is left out: ${why}`);
    return undefined;
  };
}
