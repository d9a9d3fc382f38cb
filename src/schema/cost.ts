/**
 * How often subschemas are evaluated at worst, known before a validator sees them. At one value, evaluations add up along
 * `$ref`, `allOf` and their like; from one level of a value to the next they multiply where several apply to the same part.
 */
import { evaluatedWith, findTag, type SchemaNode, skipReferences, type Tag } from './graph.ts';
import { messageOf, tooCostly } from './issues.ts';
import { allowedFor, EVALUATIONS_PER_PART, weigh } from './weigh.ts';

/** Beyond this all counts are the same; it keeps sums and products finite. */
const ENORMOUS = 1e12;
/** Values are nested no deeper. */
const MAX_LEVELS = 200;

export interface CostBounds {
  /** Evaluations that are always allowed. */
  readonly least: number;
  /** How many counts may have to be kept apart. */
  readonly counts: number;
}
interface Costs {
  readonly tags: ReadonlyMap<readonly SchemaNode[], Tag>;
  /** Whether no value can cost more than what is allowed for its size, so that none has to be looked at. */
  readonly harmless: boolean;
  /** Why checking the value could take too long; `undefined` where it cannot. */
  excess(value: unknown): string | undefined;
}

/** Evaluations by the part of a value that they are for: `=name` `#0` one of them, `=` `#` any of them, `~` a name. */
type Counts = Map<string, number>;
type ValuePart = readonly [part: string, target: SchemaNode];
/** Evaluations at one value for each schema that can be applied to it. */
type CostRow = ReadonlyMap<SchemaNode, number>;

interface Gathering {
  readonly what: string;
  readonly tags: Map<readonly SchemaNode[], Tag>;
  readonly known: Map<SchemaNode, Counts>;
  /** What a schema asks for by itself. */
  own(node: SchemaNode): Counts;
  /** How many more counts may be kept apart. */
  left: number;
}
interface Levels {
  readonly nodes: Iterable<SchemaNode>;
  /** Evaluations of one part, so many levels down. */
  at(depth: number): number;
  /** Whether there are never more of them, at any depth. */
  staysWithin(limit: number): boolean;
}

/** For schemas that end. Throws where a single value already needs more than the least that is allowed. */
export function costsOf(root: SchemaNode, what: string, bounds: CostBounds): Costs {
  const tags = new Map<readonly SchemaNode[], Tag>();
  const flat = levelsOf(root, weightOf, { what, tags, bounds });
  const text = levelsOf(root, ({ steps }) => 1 + steps, { what, tags, bounds });
  const unique = [...flat.nodes].some((node) => node.asserts.get('uniqueItems') === true);
  const excess = (value: unknown): string | undefined => {
    try {
      const { parts, levels } = weigh(value, unique);
      const allowed = allowedFor(parts, bounds.least);
      let cost = 0;
      for (const [depth, level] of levels.entries()) {
        cost += level.parts * flat.at(depth) + level.text * text.at(depth);
        if (cost > allowed) return tooMany(allowed);
      }
      return undefined;
    } catch (cause) {
      return messageOf(cause);
    }
  };
  if (flat.at(0) > bounds.least) throw tooCostly(what, tooMany(bounds.least));
  const harmless = !unique && [flat, text].every((levels) => levels.staysWithin(EVALUATIONS_PER_PART));
  return { tags, harmless, excess };
}

const tooMany = (allowed: number): string => `a check could need more than ${allowed} evaluations of its parts`;

interface About {
  readonly what: string;
  readonly tags: Map<readonly SchemaNode[], Tag>;
  readonly bounds: CostBounds;
}

function levelsOf(root: SchemaNode, weightOf: (node: SchemaNode) => number, { what, tags, bounds }: About): Levels {
  const start = (own: Gathering['own']): Gathering => ({ what, tags, known: new Map(), own, left: bounds.counts });
  const first = skipReferences(root);
  const parts = new Map<SchemaNode, readonly ValuePart[]>();
  const here = start((node) => {
    parts.set(node, partsOf(node));
    return new Map(parts.get(node)?.map(([part]) => [part, 0])).set('', weightOf(node));
  });
  const entries = new Set([first]);
  gather(first, here);
  for (const list of parts.values()) {
    for (const [, target] of list) {
      entries.add(target);
      gather(target, here);
    }
  }
  const rows: CostRow[] = [];
  const at = (depth: number): number => {
    while (rows.length <= depth) {
      const row = rows.at(-1);
      const next = rows.length === 1;
      const below = (node: SchemaNode): Counts =>
        row === undefined ? new Map() : ownBelow(parts.get(node) ?? [], row, next ? node.nameSteps : 0);
      const gathering = row === undefined ? here : start(below);
      rows.push(new Map([...entries].map((entry) => [entry, worst(gather(entry, gathering))])));
    }
    return rows[depth]?.get(first) ?? 0;
  };
  const staysWithin = (limit: number): boolean => {
    for (let depth = 0; depth <= MAX_LEVELS; depth++) {
      if (at(depth) > limit) return false;
      // Each row follows from the one before: two that are the same are followed by nothing else.
      const [row, before] = [rows[depth], rows[depth - 1]];
      if (depth > 1 && [...entries].every((entry) => row?.get(entry) === before?.get(entry))) return true;
    }
    return true;
  };
  return { nodes: parts.keys(), at, staysWithin };
}

/** What a schema asks for at one value, with everything it applies to that same value. */
function gather(node: SchemaNode, gathering: Gathering): Counts {
  const { known, what, tags } = gathering;
  const before = known.get(node);
  if (before !== undefined) return before;
  const counts = gathering.own(node);
  for (const other of evaluatedWith(node)) combine(counts, gather(skipReferences(other), gathering), plus);
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = node.lists.get(keyword) ?? [];
    const asked = branches.map((branch) => gather(skipReferences(branch), gathering));
    if (counts.has('')) {
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
  gathering.left -= counts.size;
  if (gathering.left < 0) throw tooCostly(what, 'its parts are too entangled');
  known.set(node, counts);
  return counts;
}

const plus = (a: number, b: number): number => Math.min(a + b, ENORMOUS);

function combine(into: Counts, from: Counts | undefined, how: (a: number, b: number) => number): void {
  for (const [part, count] of from ?? []) into.set(part, how(into.get(part) ?? 0, count));
}

/** One evaluation, and more for long lists and slow expressions. */
function weightOf({ asserts, maps, slow }: SchemaNode): number {
  const tried = slow?.evaluations ?? 0;
  return 1 + tried + JSON.stringify([...asserts.values()]).length / 64 + (maps.get('properties')?.size ?? 0) / 16;
}

function ownBelow(parts: readonly ValuePart[], row: CostRow, nameSteps: number): Counts {
  const counts: Counts = nameSteps > 0 ? new Map([['=', nameSteps]]) : new Map();
  for (const [part, target] of parts) counts.set(part, plus(counts.get(part) ?? 0, row.get(target) ?? 0));
  return counts;
}

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

/** The evaluations at the part where most come together. */
function worst(counts: Counts): number {
  let most = 0;
  for (const [part, count] of counts) {
    most = Math.max(most, part.length > 1 ? count + (counts.get(part.charAt(0)) ?? 0) : count);
  }
  return Math.min(most, ENORMOUS);
}
