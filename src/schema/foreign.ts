/** Checking values against a peer's schema, of which nothing is trusted. */
import { messageOf } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { SchemaPattern } from './graph.ts';
import type { Checker } from './issues.ts';
import { jsonChecker, orIssue } from './json-checker.ts';
import { type Effort, stepsPerCharacter } from './pattern-cost.ts';
import { readSchema } from './read.ts';
import { blameSchema, costlySchema, quoteValue, unsupportedSchema } from './schema-errors.ts';

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
      validate: (validate, value) => orIssue(() => validate(value)),
    });
  });
}

/** What an expression costs, or why it is left out; and where it occurs. */
interface PatternVerdict {
  /** Steps per character; undefined where it is left out. */
  readonly steps: number | undefined;
  readonly why: string;
  readonly places: string[];
}

/** Proves each expression once, however often it occurs. One that is left out gets one warning, with its places. */
function leaveOutSlowPatterns(
  patterns: readonly SchemaPattern[],
  what: string,
  warn: ((warning: string) => void) | undefined,
): void {
  const effort = { left: MAX_EFFORT };
  const verdicts = new Map<string, PatternVerdict>();
  for (const found of patterns) {
    const { node, pattern, at, ofNames } = found;
    const verdict = verdicts.get(pattern) ?? verdictOn(pattern, effort);
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

function verdictOn(pattern: string, effort: Effort): PatternVerdict {
  try {
    new RegExp(pattern, 'u');
    return { steps: stepsPerCharacter(pattern, effort), why: 'it could take too long', places: [] };
  } catch (cause) {
    return { steps: undefined, why: messageOf(cause), places: [] };
  }
}

/** The schema then accepts a little more. */
function leaveOut({ node, pattern, ofNames }: SchemaPattern): void {
  node.weakened = true;
  if (!ofNames) {
    node.asserts.delete('pattern');
    return;
  }
  const kept = [...(node.maps.get('patternProperties') ?? [])].filter(([expression]) => expression !== pattern);
  node.maps.set('patternProperties', new Map(kept));
  // Any property may be one of those that were described there; none of them is additional any more.
  node.ones.delete('additionalProperties');
}
