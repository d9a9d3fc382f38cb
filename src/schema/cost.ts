/**
 * How often subschemas are evaluated at worst, known before a validator sees them. At one value, evaluations add up along
 * `$ref`, `allOf` and their like; from one level of a value to the next they multiply where several apply to the same part.
 */
import { McpError } from '../errors.ts';
import { type Node, tooCostly } from './read.ts';
import { behind, findTag, type Tag } from './tags.ts';
import { weigh } from './weigh.ts';

const MAX_EVALUATIONS = 1_000_000;
/** Always allowed for each part of a value: what is sent may cost in proportion. */
const EVALUATIONS_PER_PART = 16;
/** How many counts may have to be kept apart. */
const MAX_COUNTS = 10_000;
/** Beyond this all counts are the same; it keeps sums and products finite. */
const ENORMOUS = 1e12;

interface Costs {
  readonly tags: ReadonlyMap<readonly Node[], Tag>;
  /** Throws where checking the value could take too long. Of a trusted schema it only asks how much must be compared. */
  admit(value: unknown): void;
}

/** Evaluations by the part of a value that they are for: `=name` `#0` one of them, `=` `#` any of them, `~` a name. */
type Counts = Map<string, number>;
type Part = readonly [part: string, target: Node];
/** Evaluations at one value for each schema that can be applied to it. */
type Row = ReadonlyMap<Node, number>;

interface Gathering {
  readonly what: string;
  readonly trusted: boolean;
  readonly tags: Map<readonly Node[], Tag>;
  readonly known: Map<Node, Counts | undefined>;
  /** What a schema asks for by itself. */
  own(node: Node): Counts;
  counts: number;
}

/** Throws where a schema applies itself to one value without end and, unless trusted, where one value costs too much. */
export function costsOf(root: Node, what: string, trusted: boolean): Costs {
  const tags = new Map<readonly Node[], Tag>();
  const start = (own: Gathering['own']): Gathering => ({ what, trusted, tags, known: new Map(), own, counts: 0 });
  const parts = new Map<Node, readonly Part[]>();
  const here = start((node) => new Map(partsOf(node).map(([part]) => [part, 0])).set('', weightOf(node)));
  const entries = new Set([root]);
  gather(root, here);
  for (const node of here.known.keys()) {
    parts.set(node, partsOf(node));
    for (const [, target] of partsOf(node)) {
      entries.add(target);
      gather(target, here);
    }
  }
  const rows: Row[] = [];
  const level = (depth: number): number => {
    while (rows.length <= depth) {
      const row = rows.at(-1);
      const next = rows.length === 1;
      const gathering =
        row === undefined ? here : start((node) => ownBelow(parts.get(node) ?? [], row, next ? node.nameSteps : 0));
      // Many entries may be references to one schema; its counts are looked through once.
      const most = new Map<Counts, number>();
      for (const entry of entries) {
        const counts = gather(entry, gathering);
        if (!most.has(counts)) most.set(counts, worst(counts));
      }
      rows.push(new Map([...entries].map((entry) => [entry, most.get(gather(entry, gathering)) ?? 0])));
    }
    return rows[depth]?.get(root) ?? 0;
  };
  const refuse = (allowed: number): never => {
    throw tooCostly(what, `a check could need more than ${allowed} evaluations of its parts`);
  };
  if (!trusted && level(0) > MAX_EVALUATIONS) refuse(MAX_EVALUATIONS);
  const unique = [...here.known.keys()].some((node) => node.asserts.get('uniqueItems') === true);
  const admit = (value: unknown): void => {
    if (trusted && !unique) return;
    const { parts, levels } = weighed(value, unique, what);
    const allowed = Math.max(MAX_EVALUATIONS, EVALUATIONS_PER_PART * parts);
    let cost = 0;
    for (const [depth, weight] of levels.entries()) {
      cost += weight * (trusted ? 1 : level(depth));
      if (cost > allowed) refuse(allowed);
    }
  };
  return { tags, admit };
}

function weighed(value: unknown, unique: boolean, what: string): ReturnType<typeof weigh> {
  try {
    return weigh(value, unique);
  } catch (cause) {
    throw tooCostly(what, cause instanceof Error ? cause.message : String(cause));
  }
}

/** What a schema asks for at one value, with everything it applies to that same value. */
function gather(node: Node, gathering: Gathering): Counts {
  const { known, what, trusted, tags } = gathering;
  const before = known.get(node);
  if (before !== undefined) return before;
  if (known.has(node)) {
    const why = 'it refers to itself without going deeper into the value, so a check would never end';
    throw new McpError('MCP_SCHEMA_UNSUPPORTED', { what, why });
  }
  known.set(node, undefined);
  const target = behind(node);
  if (target !== undefined) {
    const same = gather(target, gathering);
    known.set(node, same);
    return same;
  }
  const counts = gathering.own(node);
  const ones = ['not', 'if', 'then', 'else'].flatMap((keyword) => node.ones.get(keyword) ?? []);
  const named = node.maps.get('dependentSchemas')?.values() ?? [];
  for (const target of [...node.refs, ...ones, ...named]) combine(counts, gather(target, gathering), plus);
  for (const [keyword, branches] of node.lists) {
    if (keyword === 'prefixItems') continue;
    const asked = branches.map((branch) => gather(branch, gathering));
    if (counts.has('') && keyword !== 'allOf' && !trusted) {
      const tag = findTag(branches.filter((_, i) => (asked[i]?.size ?? 0) > 1));
      if (tag !== undefined) tags.set(branches, tag);
      counts.set('', plus(counts.get('') ?? 0, 4 * (tag?.values.size ?? 0)));
    }
    // Of the branches with a tag, one at most is gone into.
    const most: Counts = new Map();
    for (const [i, branch] of branches.entries()) {
      if (tags.get(branches)?.values.has(branch)) combine(most, asked[i], Math.max);
      else combine(counts, asked[i], plus);
    }
    combine(counts, most, plus);
  }
  gathering.counts += counts.size;
  if (gathering.counts > MAX_COUNTS && !trusted) throw tooCostly(what, 'its parts are too entangled');
  known.set(node, counts);
  return counts;
}

const plus = (a: number, b: number): number => Math.min(a + b, ENORMOUS);

function combine(into: Counts, from: Counts | undefined, how: (a: number, b: number) => number): void {
  for (const [part, count] of from ?? []) into.set(part, how(into.get(part) ?? 0, count));
}

/** One evaluation, and more for long lists and regular expressions. */
function weightOf({ asserts, maps, steps }: Node): number {
  return 1 + steps + JSON.stringify([...asserts.values()]).length / 64 + (maps.get('properties')?.size ?? 0) / 16;
}

function ownBelow(parts: readonly Part[], row: Row, nameSteps: number): Counts {
  const counts: Counts = nameSteps > 0 ? new Map([['=', nameSteps]]) : new Map();
  for (const [part, target] of parts) counts.set(part, plus(counts.get(part) ?? 0, row.get(target) ?? 0));
  return counts;
}

function partsOf({ ones, lists, maps }: Node): readonly Part[] {
  const parts: Part[] = [];
  for (const [name, target] of maps.get('properties') ?? []) parts.push([`=${name}`, target]);
  for (const target of maps.get('patternProperties')?.values() ?? []) parts.push(['=', target]);
  for (const [index, target] of lists.get('prefixItems')?.entries() ?? []) parts.push([`#${index}`, target]);
  for (const [keyword, target] of ones) {
    if (/Properties$/.test(keyword)) parts.push(['=', target]);
    else if (/^items$|^contains$|Items$/.test(keyword)) parts.push(['#', target]);
    else if (keyword === 'propertyNames') parts.push(['~', target]);
  }
  return parts;
}

/** The evaluations at the part where most come together. */
function worst(counts: Counts): number {
  let most = 0;
  for (const [part, count] of counts) {
    most = Math.max(most, part.length > 1 ? count + (counts.get(part.charAt(0)) ?? 0) : count);
  }
  return Math.min(most, ENORMOUS);
}
