/**
 * Computes how often a validator evaluates subschemas at worst, before it gets a value (denial of service). With a schema of 64 kB,
 * a small value can take hours: `allOf` with two references to the same schema, nested thirty times, is 2^30 evaluations.
 *
 * 1. At one value, evaluations add up: a schema costs its own weight and that of everything it applies to the same value
 *    (`$ref`, `allOf`, `if`, the branches of unions). `countAtValue` sums them.
 * 2. From a value to its parts they multiply: two schemas that both look into `items` make each item cost twice. So the sum is kept
 *    by part (`EvaluationsByPart`): `=name` for one property, `=` for any, `#0` for one item, `#` for any, `~` for a property's name.
 * 3. `costByDepth` repeats this level by level. Depth 0 has the cost of each schema at the value itself. At depth n, each part
 *    has the cost at depth n − 1 of the schemas that apply to it, and the worst part counts.
 * 4. The cost of a value is, for each level, the number of its parts there (`weigh.ts`) times the cost at that depth.
 *
 * A discriminated union counts as its most expensive branch, because `emit.ts` has the validator look at the tag first.
 */
import { messageOf } from '../errors.ts';
import { evaluatedWith, findTag, type SchemaNode, skipReferences, type Tag } from './graph.ts';
import { costlySchema } from './schema-errors.ts';
import { allowedEvaluations, EVALUATIONS_PER_PART, weighValue } from './weigh.ts';

/** Counts saturate here, so that sums and products stay finite. */
const ENORMOUS = 1e12;
/** The nesting limit of values: `weighValue` rejects deeper ones. */
const MAX_LEVELS = 200;

export interface CostBounds {
  /** Evaluations that are allowed for a value of any size. */
  readonly least: number;
  /** Limit of map entries in one counting pass; a schema that needs more is rejected. */
  readonly counts: number;
}
export interface Costs {
  readonly tags: ReadonlyMap<readonly SchemaNode[], Tag>;
  /** True if the cost of every value is proportional to its size, so that values need not be weighed. */
  readonly harmless: boolean;
  /** Why checking this value could take too long; `undefined` if it cannot. */
  excess(value: unknown): string | undefined;
}

type EvaluationsByPart = Map<string, number>;
/** Evaluations at one depth below a value, by the schema that is applied to the value. */
type CostRow = ReadonlyMap<SchemaNode, number>;
type ValuePart = readonly [part: string, target: SchemaNode];

interface CountingPass {
  readonly what: string;
  readonly tags: Map<readonly SchemaNode[], Tag>;
  readonly counted: Map<SchemaNode, EvaluationsByPart>;
  /** The cost of a schema without the other schemas that it applies to the same value. */
  ownCost(node: SchemaNode): EvaluationsByPart;
  /** Remaining map entries of `CostBounds.counts`. */
  left: number;
}
interface CostByDepth {
  readonly nodes: Iterable<SchemaNode>;
  /** Evaluations of one part at this depth. */
  at(depth: number): number;
  /** Whether `at` stays within the limit at every depth. */
  staysWithin(limit: number): boolean;
}
interface CostContext {
  readonly what: string;
  readonly tags: Map<readonly SchemaNode[], Tag>;
  readonly bounds: CostBounds;
}

/** Requires a schema without endless recursion (`isEndless`). Throws if even a single value needs more than `bounds.least`. */
export function costsOf(root: SchemaNode, what: string, bounds: CostBounds): Costs {
  const tags = new Map<readonly SchemaNode[], Tag>();
  const perPart = costByDepth(root, weightOf, { what, tags, bounds });
  const perText = costByDepth(root, ({ steps }) => 1 + steps, { what, tags, bounds });
  const unique = [...perPart.nodes].some((node) => node.asserts.get('uniqueItems') === true);
  const excess = (value: unknown): string | undefined => {
    try {
      const { parts, levels } = weighValue(value, unique);
      const allowed = allowedEvaluations(parts, bounds.least);
      let cost = 0;
      for (const [depth, level] of levels.entries()) {
        cost += level.parts * perPart.at(depth) + level.text * perText.at(depth);
        if (cost > allowed) return tooMany(allowed);
      }
      return undefined;
    } catch (cause) {
      return messageOf(cause);
    }
  };
  if (perPart.at(0) > bounds.least) throw costlySchema(what, tooMany(bounds.least));
  const harmless = !unique && [perPart, perText].every((cost) => cost.staysWithin(EVALUATIONS_PER_PART));
  return { tags, harmless, excess };
}

const tooMany = (allowed: number): string => `a check could need more than ${allowed} evaluations of its parts`;

function costByDepth(
  root: SchemaNode,
  weight: (node: SchemaNode) => number,
  { what, tags, bounds }: CostContext,
): CostByDepth {
  const startPass = (ownCost: CountingPass['ownCost']): CountingPass => ({
    what,
    tags,
    counted: new Map(),
    ownCost,
    left: bounds.counts,
  });
  const parts = new Map<SchemaNode, readonly ValuePart[]>();
  // At depth 0, parts cost 0 but get an entry: `addUnion` recognizes branches that look into the value by it.
  const pass = startPass((node) => {
    parts.set(node, partsOf(node));
    return new Map(parts.get(node)?.map(([part]) => [part, 0])).set('', weight(node));
  });
  const start = skipReferences(root);
  const starts = new Set([start]);
  countAtValue(start, pass);
  // `parts` grows during this loop: each schema that applies to a part is a start of the next level, and counting it adds its parts.
  for (const list of parts.values()) {
    for (const [, target] of list) {
      starts.add(target);
      countAtValue(target, pass);
    }
  }
  const rows: CostRow[] = [];
  const nextRow = (): CostRow => {
    const above = rows.at(-1);
    const withNames = rows.length === 1;
    const counting = above && startPass((node) => costBelow(node, parts.get(node) ?? [], above, withNames));
    return new Map([...starts].map((node) => [node, worstPart(countAtValue(node, counting ?? pass))]));
  };
  const at = (depth: number): number => {
    while (rows.length <= depth) rows.push(nextRow());
    return rows[depth]?.get(start) ?? 0;
  };
  const staysWithin = (limit: number): boolean => {
    for (let depth = 0; depth <= MAX_LEVELS; depth++) {
      if (at(depth) > limit) return false;
      // A row depends only on the row before it (row 1 also on names), so after two equal rows all rows are equal.
      const [row, before] = [rows[depth], rows[depth - 1]];
      if (depth > 1 && [...starts].every((node) => row?.get(node) === before?.get(node))) return true;
    }
    return true;
  };
  return { nodes: parts.keys(), at, staysWithin };
}

/** A schema's cost at each part of a value: the cost, one level up, of the schemas that it applies to the part. */
function costBelow(
  { nameSteps }: SchemaNode,
  parts: readonly ValuePart[],
  above: CostRow,
  withNames: boolean,
): EvaluationsByPart {
  const counts: EvaluationsByPart = withNames && nameSteps > 0 ? new Map([['=', nameSteps]]) : new Map();
  for (const [part, target] of parts) counts.set(part, plus(counts.get(part) ?? 0, above.get(target) ?? 0));
  return counts;
}

/** A schema's cost at one value, including everything that it applies to the same value. */
function countAtValue(node: SchemaNode, pass: CountingPass): EvaluationsByPart {
  const known = pass.counted.get(node);
  if (known !== undefined) return known;
  const counts = pass.ownCost(node);
  for (const other of evaluatedWith(node)) mergeInto(counts, countAtValue(skipReferences(other), pass), plus);
  for (const keyword of ['anyOf', 'oneOf']) addUnion(counts, node.lists.get(keyword) ?? [], pass);
  pass.left -= counts.size;
  if (pass.left < 0) throw costlySchema(pass.what, 'its parts refer to each other in too many combinations');
  pass.counted.set(node, counts);
  return counts;
}

/** Adds every branch of a union; of the branches that a tag distinguishes, only the most expensive one. */
function addUnion(counts: EvaluationsByPart, branches: readonly SchemaNode[], pass: CountingPass): void {
  const costs = branches.map((branch) => countAtValue(skipReferences(branch), pass));
  if (counts.has('')) {
    const tag = findTag(branches.filter((_, i) => (costs[i]?.size ?? 0) > 1));
    if (tag !== undefined) pass.tags.set(branches, tag);
    counts.set('', plus(counts.get('') ?? 0, 4 * (tag?.values.size ?? 0)));
  }
  const most: EvaluationsByPart = new Map();
  for (const [i, branch] of branches.entries()) {
    if (pass.tags.get(branches)?.values.has(branch)) mergeInto(most, costs[i], Math.max);
    else mergeInto(counts, costs[i], plus);
  }
  mergeInto(counts, most, plus);
}

const plus = (a: number, b: number): number => Math.min(a + b, ENORMOUS);

function mergeInto(
  into: EvaluationsByPart,
  from: EvaluationsByPart | undefined,
  merge: (a: number, b: number) => number,
): void {
  for (const [part, count] of from ?? []) into.set(part, merge(into.get(part) ?? 0, count));
}

/** 1 for the evaluation itself, and more for long lists and slow patterns. */
function weightOf({ asserts, maps, slow }: SchemaNode): number {
  const tried = slow?.evaluations ?? 0;
  return 1 + tried + JSON.stringify([...asserts.values()]).length / 64 + (maps.get('properties')?.size ?? 0) / 16;
}

/** The parts of a value that a schema looks into, each with the schema that it applies there. */
function partsOf({ ones, lists, maps }: SchemaNode): readonly ValuePart[] {
  const parts: [string, SchemaNode][] = [];
  for (const [name, target] of maps.get('properties') ?? []) parts.push([`=${name}`, target]);
  for (const target of maps.get('patternProperties')?.values() ?? []) parts.push(['=', target]);
  for (const [index, target] of lists.get('prefixItems')?.entries() ?? []) parts.push([`#${index}`, target]);
  for (const [keyword, target] of ones) {
    if (/Properties$/.test(keyword)) parts.push(['=', target]);
    else if (/^items$|^contains$|Items$/.test(keyword)) parts.push(['#', target]);
    else if (keyword === 'propertyNames') parts.push(['~', target]);
  }
  return parts.map(([part, target]) => [part, skipReferences(target)]);
}

/** The evaluations at the most expensive part: those for its name or index, plus those for any property or item. */
function worstPart(counts: EvaluationsByPart): number {
  let most = 0;
  for (const [part, count] of counts) {
    most = Math.max(most, part.length > 1 ? count + (counts.get(part.charAt(0)) ?? 0) : count);
  }
  return Math.min(most, ENORMOUS);
}
