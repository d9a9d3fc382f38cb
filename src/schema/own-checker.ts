/**
 * Creates the checker of an author's own JSON Schema: bounds the cost of a check, then compiles a validator. Loaded when the first
 * such schema is served or used, so that a server with only Standard Schemas never loads it.
 */
import type { Costs } from './cost.ts';
import type { SchemaPattern } from './graph.ts';
import type { Checker, Issue, Validate } from './issues.ts';
import { catchAsIssue, jsonChecker } from './json-checker.ts';
import { costOfPattern, longestText, mostStepsFor, type PatternCost } from './pattern-cost.ts';
import type { SchemaGraph } from './read.ts';
import { blameSchema, quoteValue, unsupportedSchemaAt } from './schema-errors.ts';
import type { JsonSchema } from './standard.ts';

/** Higher than for a peer's schema, which an attacker can make large. */
const MAX_COUNTS = 200_000;
/** Generating code for more subschemas takes more than a tenth of a second. */
const MAX_GENERATED = 200;

/** Throws `McpError` if a check could take too long. */
export function ownChecker(schema: JsonSchema, graph: SchemaGraph, what: string): Checker {
  return blameSchema(what, () => {
    provePatterns(graph.patterns, what);
    return jsonChecker(schema, graph, {
      what,
      maxGenerated: MAX_GENERATED,
      maxCounts: MAX_COUNTS,
      validate: validateTwice,
    });
  });
}

function validateTwice(validate: Validate, value: unknown, { harmless, excess }: Costs): readonly Issue[] | undefined {
  const once = (make: () => unknown): readonly Issue[] | undefined =>
    catchAsIssue(() => {
      const made = make();
      const why = harmless ? undefined : excess(made);
      if (why !== undefined) throw new RangeError(why);
      return validate(made);
    });
  const issues = once(() => value);
  // The author's code can return dates or undefined members. An invalid value is checked again in its JSON form, which is what is sent.
  return issues && once(() => JSON.parse(JSON.stringify(value))) && issues;
}

// Regular expressions in an author's schema run on text that callers send, so their cost is bounded too (ReDoS).

/** Analysis budget for one regular expression. */
const MAX_EFFORT = 1_000_000;
/** Steps per character up to which a pattern counts as linear. */
const MAX_STEPS = 1_000;
/** Steps that a pattern that is not linear can take on one text: about a hundredth of a second. */
const MAX_SLOW_STEPS = 3_200_000;
/** Steps that cost about as much as evaluating one subschema. */
const STEPS_PER_EVALUATION = 64;
/** Text lengths for a pattern that is not linear: the default `maxLength`, and the minimum that it must be able to handle. */
const DEFAULT_LONGEST = 256;
const LEAST_LONGEST = 32;

/** Stores the cost of each pattern in the graph. Throws `McpError` if one can take too long. */
function provePatterns(patterns: readonly SchemaPattern[], what: string): void {
  for (const own of patterns) {
    const { node, pattern, at, ofNames } = own;
    const cost = costOfPattern(pattern, { left: MAX_EFFORT }, { flags: 'u', lookaround: true });
    if (cost === undefined) throw unsupportedSchemaAt(what, at, unbounded(pattern));
    const isLinear = cost.degree === 1 && cost.steps <= MAX_STEPS;
    if (!isLinear && ofNames) {
      const why = `the pattern ${quoteValue(pattern)} can take too long on long names: begin it with ^`;
      throw unsupportedSchemaAt(what, at, why);
    }
    if (!isLinear) boundText(own, cost, what);
    else if (ofNames) node.nameSteps += cost.steps;
    else node.steps = cost.steps;
  }
}

/** Bounds the length of the texts on which a pattern that is not linear runs. */
function boundText({ node, pattern, at }: SchemaPattern, cost: PatternCost, what: string): void {
  const possible = longestText(cost, MAX_SLOW_STEPS);
  const longest = Number(node.asserts.get('maxLength') ?? Math.min(possible, DEFAULT_LONGEST));
  if (longest > possible || possible < LEAST_LONGEST) {
    const why = `the pattern ${quoteValue(pattern)} can take too long on long texts: add a "maxLength" of at most ${possible}`;
    throw unsupportedSchemaAt(what, at, possible < LEAST_LONGEST ? unbounded(pattern) : why);
  }
  node.asserts.set('maxLength', longest);
  node.slow = { longest, evaluations: mostStepsFor(cost, longest) / STEPS_PER_EVALUATION };
}

const unbounded = (pattern: string): string =>
  `the pattern ${quoteValue(pattern)} can take too long: repeat nothing that can be read in two ways, as in (a+)+, and use no backreference and no lookbehind, or check it in your own code`;
