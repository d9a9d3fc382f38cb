/** Creates the checker of a peer's schema, which is untrusted: its size, its cost and its patterns are limited. */
import { messageOf } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { SchemaPattern } from './graph.ts';
import type { Checker } from './issues.ts';
import { catchAsIssue, jsonChecker } from './json-checker.ts';
import { type Effort, stepsPerCharacter } from './pattern-cost.ts';
import { readSchema } from './read.ts';
import { blameSchema, costlySchema, quoteValue, unsupportedSchema } from './schema-errors.ts';

/** Occurrences of one pattern that a warning lists. */
const MAX_PLACES = 3;
const MAX_BYTES = 65_536;
const MAX_DEPTH = 64;
const MAX_SUBSCHEMAS = 2_000;
const MAX_GENERATED = 100;
const MAX_COUNTS = 10_000;
/** Analysis budget for all regular expressions of one schema together: about a tenth of a second. */
const MAX_EFFORT = 250_000;

/**
 * Throws `McpError` if the schema is rejected. `check` throws one if checking this value could take too long.
 * `warn` gets a sentence for each regular expression that is left out because it is invalid or could take too long.
 */
export function foreignChecker(schema: JsonObject, what: string, warn?: (warning: string) => void): Checker {
  if (!isObject(schema)) throw unsupportedSchema(what, 'it is not an object');
  const text = blameSchema(what, () => JSON.stringify(schema));
  if (new TextEncoder().encode(text).length > MAX_BYTES)
    throw costlySchema(what, `it is larger than ${MAX_BYTES} bytes`);
  return blameSchema(what, () => {
    const graph = readSchema(schema, { what, depth: MAX_DEPTH, subschemas: MAX_SUBSCHEMAS, isForeign: true });
    leaveOutSlowPatterns(graph.patterns, what, warn);
    return jsonChecker(schema, graph, {
      what,
      maxGenerated: MAX_GENERATED,
      maxCounts: MAX_COUNTS,
      admit(value, { excess }) {
        const why = excess(value);
        if (why !== undefined) throw costlySchema(what, why);
      },
      validate: (validate, value) => catchAsIssue(() => validate(value)),
    });
  });
}

/** The cost of a pattern, or why it is left out, and where it occurs. */
interface PatternVerdict {
  /** Steps per character; undefined if the pattern is left out. */
  readonly steps: number | undefined;
  readonly why: string;
  readonly places: string[];
}

/** Analyzes each distinct pattern once. A pattern that is left out causes one warning, with its places. */
function leaveOutSlowPatterns(
  patterns: readonly SchemaPattern[],
  what: string,
  warn: ((warning: string) => void) | undefined,
): void {
  const effort = { left: MAX_EFFORT };
  const verdicts = new Map<string, PatternVerdict>();
  for (const found of patterns) {
    const { node, pattern, at, ofNames } = found;
    const verdict = verdicts.get(pattern) ?? analyzePattern(pattern, effort);
    verdicts.set(pattern, verdict);
    verdict.places.push(ofNames ? `#${at}/patternProperties` : `#${at}`);
    if (verdict.steps === undefined) leaveOut(found);
    else if (ofNames) node.nameSteps += verdict.steps;
    else node.steps = verdict.steps;
  }
  for (const [pattern, { steps, why, places }] of verdicts) {
    const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : '';
    const where = quoteValue(places.slice(0, MAX_PLACES).join(', ')).slice(1, -1) + more;
    if (steps === undefined)
      warn?.(`In the schema of ${what}, the pattern ${quoteValue(pattern)} at ${where} is left out: ${why}`);
  }
}

function analyzePattern(pattern: string, effort: Effort): PatternVerdict {
  try {
    new RegExp(pattern, 'u');
    return { steps: stepsPerCharacter(pattern, effort), why: 'it could take too long', places: [] };
  } catch (cause) {
    return { steps: undefined, why: messageOf(cause), places: [] };
  }
}

/** Removes the pattern, so that the schema accepts slightly more. */
function leaveOut({ node, pattern, ofNames }: SchemaPattern): void {
  node.weakened = true;
  if (!ofNames) {
    node.asserts.delete('pattern');
    return;
  }
  const kept = [...(node.maps.get('patternProperties') ?? [])].filter(([expression]) => expression !== pattern);
  node.maps.set('patternProperties', new Map(kept));
  // Any property could match the removed pattern, so none may be treated as additional.
  node.ones.delete('additionalProperties');
}
