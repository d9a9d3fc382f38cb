/** Regular expressions in an author's own schema: strangers write the texts that they are tried on, so their cost is bounded too. */
import type { Node } from './graph.ts';
import { costOfPattern, longestText, type PatternCost, stepsFor } from './linear.ts';
import { quote, unsupportedAt } from './schema-errors.ts';

/** A schema with an expression, as it was found. */
export interface OwnPattern {
  readonly node: Node;
  readonly pattern: string;
  readonly at: string;
  /** Whether it is tried on the names of properties, not on the value. */
  readonly ofNames: boolean;
}

/** What looking into one expression can cost. */
const MAX_EFFORT = 1_000_000;
/** Steps for each character. */
const MAX_STEPS = 1_000;
/** Steps of an expression that is not linear on one text: about a hundredth of a second. */
const MAX_SLOW_STEPS = 3_200_000;
/** So many cost about as much as evaluating one subschema. */
const STEPS_PER_EVALUATION = 64;
/** The longest text for such an expression where the author does not say, and what it must be good for at least. */
const DEFAULT_LONGEST = 256;
const LEAST_LONGEST = 32;

/** Notes the cost of each expression in the graph. Throws `McpError` where one can take too long. */
export function provePatterns(patterns: readonly OwnPattern[], what: string): void {
  for (const own of patterns) {
    const { node, pattern, at, ofNames } = own;
    const cost = costOfPattern(pattern, { left: MAX_EFFORT }, { flags: 'u', lookaround: true });
    if (cost === undefined) throw unsupportedAt(what, at, unbounded(pattern));
    const isLinear = cost.degree === 1 && cost.steps <= MAX_STEPS;
    if (!isLinear && ofNames) {
      const why = `the pattern ${quote(pattern)} can take too long on long names: begin it with ^`;
      throw unsupportedAt(what, at, why);
    }
    if (!isLinear) boundText(own, cost, what);
    else if (ofNames) node.nameSteps += cost.steps;
    else node.steps = cost.steps;
  }
}

/** An expression that is not linear is tried on texts of bounded length only. */
function boundText({ node, pattern, at }: OwnPattern, cost: PatternCost, what: string): void {
  const possible = longestText(cost, MAX_SLOW_STEPS);
  const longest = Number(node.asserts.get('maxLength') ?? Math.min(possible, DEFAULT_LONGEST));
  if (longest > possible || possible < LEAST_LONGEST) {
    const why = `the pattern ${quote(pattern)} can take too long on long texts: beside it, write a "maxLength" of at most ${possible}`;
    throw unsupportedAt(what, at, possible < LEAST_LONGEST ? unbounded(pattern) : why);
  }
  node.asserts.set('maxLength', longest);
  node.slow = { longest, evaluations: stepsFor(cost, longest) / STEPS_PER_EVALUATION };
}

const unbounded = (pattern: string): string =>
  `the pattern ${quote(pattern)} can take too long: repeat nothing that can be read in two ways, as in (a+)+, and use no backreference and no lookbehind, or check it in your own code`;
