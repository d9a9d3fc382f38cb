/**
 * How often subschemas are evaluated at worst, known before a validator sees them. At one value, evaluations add up along
 * `$ref`, `allOf` and their like; from one level of a value to the next they multiply where several apply to the same part.
 */
import { McpError } from '../errors.ts';
import { isObject } from './keywords.ts';
import { emptyNode, type Node, tooCostly } from './read.ts';

const MAX_EVALUATIONS = 1_000_000;
/** Always allowed for each part of a value: what is sent may cost in proportion. */
const EVALUATIONS_PER_PART = 16;
const MAX_VALUE_DEPTH = 200;
const MAX_VALUE_PARTS = 10_000_000;
/** How many entries the tables of `Reach` may have in all. */
const MAX_TABLES = 50_000;
/** As many characters to look at cost about as much as one evaluation. */
const CHARACTERS = 64;
/** Beyond this, counts are all the same; it keeps sums and products finite. */
const ENORMOUS = 1e12;

/** A property that tells the branches of a union apart, and the values that each branch has for it. */
export interface Tag {
  readonly property: string;
  readonly values: ReadonlyMap<Node, readonly unknown[]>;
}

/** The evaluations at one value, and how often each subschema is then applied to which part of it. */
interface Reach {
  local: number;
  readonly parts: Map<string, Map<Node, number>>;
}
type Combine = (a: number, b: number) => number;

export interface Costs {
  readonly tags: ReadonlyMap<readonly Node[], Tag>;
  /** Throws where checking the value could take too long. */
  admit(value: unknown): void;
}

interface Study {
  readonly what: string;
  readonly trusted: boolean;
  readonly reaches: Map<Node, Reach | undefined>;
  readonly tags: Map<readonly Node[], Tag>;
  tables: number;
}

/** Throws where a schema applies itself to the same value for ever, and, unless it is trusted, where it costs too much at once. */
export function costsOf(root: Node, what: string, trusted: boolean): Costs {
  const study: Study = { what, trusted, reaches: new Map(), tags: new Map(), tables: 0 };
  const entries = new Set([root]);
  for (const entry of entries) {
    for (const targets of reachOf(entry, study).parts.values())
      for (const target of targets.keys()) entries.add(target);
  }
  // rows[d]: the evaluations, at worst, at one value that is d levels below the one where an entry was applied.
  const rows: Map<Node, number>[] = [];
  const level = (depth: number): number => {
    while (rows.length <= depth) {
      const row = rows.at(-1);
      const worst = (entry: Node): number =>
        row === undefined ? reachOf(entry, study).local : below(reachOf(entry, study), row);
      rows.push(new Map([...entries].map((entry) => [entry, worst(entry)])));
    }
    return rows[depth]?.get(root) ?? 0;
  };
  const unique = [...study.reaches.keys()].some((node) => node.asserts.get('uniqueItems') === true);
  const refuseAbove = (allowed: number, cost: number): void => {
    if (cost > allowed) throw tooCostly(what, `a check could need more than ${allowed} evaluations of its parts`);
  };
  if (!trusted) refuseAbove(MAX_EVALUATIONS, level(0));
  const admit = (value: unknown): void => {
    const { parts, weights } = weigh(value, what, unique);
    const cost = weights.reduce((sum, weight, depth) => sum + weight * level(depth), 0);
    refuseAbove(Math.max(MAX_EVALUATIONS, EVALUATIONS_PER_PART * parts), cost);
  };
  return { tags: study.tags, admit };
}

function reachOf(node: Node, study: Study): Reach {
  const known = study.reaches.get(node);
  if (known !== undefined) return known;
  if (study.reaches.has(node)) {
    const why = 'it refers to itself without going deeper into the value, so a check would never end';
    throw new McpError('MCP_SCHEMA_UNSUPPORTED', { what: study.what, why });
  }
  study.reaches.set(node, undefined);
  const reach: Reach = { local: weightOf(node), parts: new Map() };
  const combine = (from: Reach, how: Combine, into = reach): void => {
    into.local = how(into.local, from.local);
    for (const [part, targets] of from.parts) {
      for (const [target, times] of targets) apply(into, part, [target, times, how]);
      study.tables += targets.size;
    }
    if (study.tables > MAX_TABLES && !study.trusted) throw tooCostly(study.what, 'its parts are too entangled');
  };
  for (const [part, target] of partsOf(node)) apply(reach, part, [target, 1, plus]);
  for (const keyword of ['not', 'if', 'then', 'else']) {
    const target = node.ones.get(keyword);
    if (target !== undefined) combine(reachOf(target, study), plus);
  }
  const schemas = node.maps.get('dependentSchemas')?.values() ?? [];
  for (const target of [...node.refs, ...schemas]) combine(reachOf(target, study), plus);
  for (const [keyword, branches] of node.lists) {
    if (keyword === 'prefixItems') continue;
    const tag = keyword === 'allOf' || study.trusted ? undefined : findTag(branches, study);
    const one: Reach = { local: 0, parts: new Map() };
    for (const branch of branches) {
      if (tag?.values.has(branch)) combine(reachOf(branch, study), Math.max, one);
      else combine(reachOf(branch, study), plus);
    }
    combine(one, plus);
    if (tag === undefined) continue;
    reach.local += 4 * tag.values.size;
    study.tags.set(branches, tag);
  }
  study.reaches.set(node, reach);
  return reach;
}

const plus: Combine = (a, b) => Math.min(a + b, ENORMOUS);

function apply({ parts }: Reach, part: string, [target, times, how]: readonly [Node, number, Combine]): void {
  const targets = parts.get(part) ?? new Map<Node, number>();
  parts.set(part, targets.set(target, how(targets.get(target) ?? 0, times)));
}

function weightOf({ asserts, maps, steps }: Node): number {
  const text = JSON.stringify([...asserts.values()]).length;
  return 1 + steps + text / CHARACTERS + (maps.get('properties')?.size ?? 0) / 16;
}

const PROPERTY = '.';
const ITEM = '[';

/** What is applied to which part: one named property or item (`.name`, `[0`), or possibly any of them (`.*`, `[*`). */
function* partsOf({ ones, lists, maps, nameSteps }: Node): Generator<[string, Node]> {
  for (const [name, target] of maps.get('properties') ?? []) yield [`=${name}`, target];
  for (const target of maps.get('patternProperties')?.values() ?? []) yield [PROPERTY, target];
  if (nameSteps > 0) yield [PROPERTY, { ...emptyNode(true), steps: nameSteps }];
  for (const [index, target] of lists.get('prefixItems')?.entries() ?? []) yield [`#${index}`, target];
  for (const [keyword, target] of ones) {
    if (/Properties$/.test(keyword)) yield [PROPERTY, target];
    else if (/^items$|^contains$|Items$/.test(keyword)) yield [ITEM, target];
    else if (keyword === 'propertyNames') yield ['name', target];
  }
}

/** The evaluations at the part of a value where most come together. */
function below({ parts }: Reach, row: ReadonlyMap<Node, number>): number {
  const totals = new Map<string, number>();
  for (const [part, targets] of parts) {
    let total = 0;
    for (const [target, times] of targets) total = plus(total, times * (row.get(target) ?? 0));
    totals.set(part, total);
  }
  let most = 0;
  for (const [part, total] of totals) {
    const any = part.startsWith('=') ? PROPERTY : part.startsWith('#') ? ITEM : undefined;
    most = Math.max(most, total + (any === undefined ? 0 : (totals.get(any) ?? 0)));
  }
  return Math.min(most, ENORMOUS);
}

/** A required property that has different fixed values in all branches that go into the value. */
function findTag(branches: readonly Node[], study: Study): Tag | undefined {
  const deep = branches.filter((branch) => reachOf(branch, study).parts.size > 0);
  for (const property of bare(deep[0])?.maps.get('properties')?.keys() ?? []) {
    const values = new Map(deep.map((branch) => [branch, fixedValues(bare(branch), property)]));
    const all = [...values.values()].flat().map((value) => JSON.stringify(value));
    if (deep.length > 1 && new Set(all).size === all.length && [...values.values()].every((list) => list.length > 0)) {
      return { property, values };
    }
  }
  return undefined;
}

function fixedValues(branch: Node | undefined, property: string): readonly unknown[] {
  const asserts = branch?.maps.get('properties')?.get(property)?.asserts;
  const required = branch?.asserts.get('required');
  if (asserts === undefined || !Array.isArray(required) || !required.includes(property)) return [];
  const values = asserts.has('const') ? [asserts.get('const')] : asserts.get('enum');
  return Array.isArray(values) && values.every((value) => typeof value !== 'object') ? values : [];
}

/** Behind references that say nothing else. */
function bare(node: Node | undefined): Node | undefined {
  const { asserts, ones, lists, maps, refs } = node ?? emptyNode(true);
  return refs.length === 1 && asserts.size + ones.size + lists.size + maps.size === 0 ? bare(refs[0]) : node;
}

/** The parts of a value, and what they weigh on each level: long texts, and lists to be compared within, weigh more. */
function weigh(value: unknown, what: string, unique: boolean): { parts: number; weights: readonly number[] } {
  const weights: number[] = [];
  let parts = 0;
  const visit = (part: unknown, depth: number, name = ''): void => {
    if (depth > MAX_VALUE_DEPTH) throw tooCostly(what, `the value is nested deeper than ${MAX_VALUE_DEPTH} levels`);
    if (++parts > MAX_VALUE_PARTS) throw tooCostly(what, `the value has more than ${MAX_VALUE_PARTS} parts`);
    const before = parts;
    let weight = 1 + name.length / CHARACTERS;
    if (typeof part === 'string') weight += part.length / CHARACTERS;
    else if (Array.isArray(part)) {
      for (const item of part) visit(item, depth + 1);
      if (unique) weight += (part.length * (parts - before)) / CHARACTERS;
    } else if (isObject(part)) for (const key in part) visit(part[key], depth + 1, key);
    weights[depth] = (weights[depth] ?? 0) + weight;
  };
  visit(value, 0);
  return { parts, weights };
}
