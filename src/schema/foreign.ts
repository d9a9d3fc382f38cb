/** Checking values against a peer's schema, of which nothing is trusted. */
import { messageOf } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Checker } from './issues.ts';
import { jsonChecker, orIssue } from './json-checker.ts';
import { stepsPerCharacter } from './pattern-cost.ts';
import { readSchema } from './read.ts';
import { blameSchema, costlySchema, quoteValue, unsupportedSchema } from './schema-errors.ts';

interface PatternJudge {
  /** Steps per character, or `undefined` where the expression has to be left out. */
  judge(pattern: string, at: string): number | undefined;
  report(warn: ((warning: string) => void) | undefined): void;
}

/** Places of one expression that a warning names. */
const MAX_PLACES = 3;
const MAX_BYTES = 65_536;
const MAX_DEPTH = 64;
const MAX_SUBSCHEMAS = 2_000;
const MAX_GENERATED = 100;
const MAX_COUNTS = 10_000;
/** About a tenth of a second, for all regular expressions of one schema together. */
const MAX_EFFORT = 250_000;

/**
 * Throws `McpError` at once when the schema is rejected; `check` throws one when schema and value together could take too long.
 * `warn` gets a sentence for each regular expression that is left out because it could take too long.
 */
export function foreignChecker(schema: JsonObject, what: string, warn?: (warning: string) => void): Checker {
  if (!isObject(schema)) throw unsupportedSchema(what, 'it is not an object');
  const text = blameSchema(what, () => JSON.stringify(schema));
  if (new TextEncoder().encode(text).length > MAX_BYTES)
    throw costlySchema(what, `it is larger than ${MAX_BYTES} bytes`);
  const { judge, report } = patternJudge(what);
  return blameSchema(what, () => {
    const graph = readSchema(schema, { what, depth: MAX_DEPTH, subschemas: MAX_SUBSCHEMAS, judge });
    report(warn);
    return jsonChecker(schema, graph, {
      what,
      maxGenerated: MAX_GENERATED,
      maxCounts: MAX_COUNTS,
      admit(value, { excess }) {
        const why = excess(value);
        if (why !== undefined) throw costlySchema(what, why);
      },
      validate: (validate, value) => orIssue(() => validate(value)),
    });
  });
}

/** Proves each expression once, however often it occurs. An expression that is left out gets one warning, with its places. */
function patternJudge(what: string): PatternJudge {
  const effort = { left: MAX_EFFORT };
  const known = new Map<
    string,
    { readonly steps: number | undefined; readonly why: string; readonly places: string[] }
  >();
  const verdictOf = (pattern: string): { steps: number | undefined; why: string } => {
    try {
      new RegExp(pattern, 'u');
      return { steps: stepsPerCharacter(pattern, effort), why: 'it could take too long' };
    } catch (cause) {
      return { steps: undefined, why: messageOf(cause) };
    }
  };
  return {
    judge(pattern, at) {
      const verdict = known.get(pattern) ?? { ...verdictOf(pattern), places: [] };
      known.set(pattern, verdict);
      verdict.places.push(`#${at}`);
      return verdict.steps;
    },
    report(warn) {
      for (const [pattern, { steps, why, places }] of known) {
        const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : '';
        const where = quoteValue(places.slice(0, MAX_PLACES).join(', ')).slice(1, -1) + more;
        if (steps === undefined)
          warn?.(`In the schema of ${what}, the pattern ${quoteValue(pattern)} at ${where} is left out: ${why}`);
      }
    },
  };
}
