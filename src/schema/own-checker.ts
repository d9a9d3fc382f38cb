/**
 * The checker of an author's own JSON Schema: proves what a check can cost, then has a validator compile it. Loaded when the
 * first such schema is served or used, so that a server with Standard Schemas alone never carries it.
 */
import { costsOf } from './cost.ts';
import type { Checker, Issue, Validate } from './issues.ts';
import { attempt, jsonChecker } from './json.ts';
import { provePatterns } from './own-patterns.ts';
import type { SchemaGraph } from './read.ts';
import { reading } from './schema-errors.ts';
import type { JsonSchema } from './standard.ts';
import { canGenerate } from './validators/compile.ts';
import { leastFor } from './weigh.ts';

/** How many counts of evaluations may have to be kept apart: more than for a peer's schema, which may be made to be large. */
const MAX_COUNTS = 200_000;
/** Code for more subschemas takes more than a tenth of a second to make. */
const MAX_GENERATED = 200;

/** Throws `McpError` where a check could take too long. */
export function ownChecker(schema: JsonSchema, { root, nodes, patterns }: SchemaGraph, what: string): Checker {
  const { generate, costs } = reading(what, () => {
    provePatterns(patterns, what);
    const generate = canGenerate(nodes, MAX_GENERATED);
    return { generate, costs: costsOf(root, what, { least: leastFor(generate), counts: MAX_COUNTS }) };
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
