/** A schema as a graph, without dialects, names and references. */

export interface SchemaNode {
  /** Set where the schema is just `true` or `false`. */
  readonly always: boolean | undefined;
  /** Keywords without subschemas, then those with one, with a list, with a map of them. */
  readonly asserts: Map<string, unknown>;
  readonly ones: Map<string, SchemaNode>;
  readonly lists: Map<string, readonly SchemaNode[]>;
  readonly maps: Map<string, ReadonlyMap<string, SchemaNode>>;
  /** What `$ref` and `$dynamicRef` lead to. */
  readonly refs: SchemaNode[];
  /** What its regular expressions cost per character: of the value, and of each property's name. */
  steps: number;
  nameSteps: number;
  /** Where an expression takes more than that: the longest text it is tried on, and the evaluations that this costs at worst. */
  slow: { readonly longest: number; readonly evaluations: number } | undefined;
  /** A keyword was left out, so more is accepted than was written. */
  weakened: boolean;
}

/** A schema with a regular expression, as it was found. What the expression costs is proven later. */
export interface SchemaPattern {
  readonly node: SchemaNode;
  readonly pattern: string;
  readonly at: string;
  /** Whether it is tried on the names of properties, not on the value. */
  readonly ofNames: boolean;
}

export const emptyNode = (always: boolean | undefined): SchemaNode => ({
  always,
  asserts: new Map(),
  ones: new Map(),
  lists: new Map(),
  maps: new Map(),
  refs: [],
  steps: 0,
  nameSteps: 0,
  slow: undefined,
  weakened: false,
});

export const isDefinitions = (keyword: string): boolean => keyword === '$defs' || keyword === 'definitions';

/** Every subschema that is evaluated because of this one. */
export function subschemasOf({ refs, ones, lists, maps }: SchemaNode): SchemaNode[] {
  const named = [...maps].filter(([keyword]) => !isDefinitions(keyword)).flatMap(([, map]) => [...map.values()]);
  return [...refs, ...ones.values(), ...[...lists.values()].flat(), ...named];
}

/** Those that are evaluated at the same value, except the branches of `anyOf` and `oneOf`. */
export function evaluatedWith({ refs, ones, lists, maps }: SchemaNode): SchemaNode[] {
  const conditions = ['not', 'if', 'then', 'else'].flatMap((keyword) => ones.get(keyword) ?? []);
  return [...refs, ...conditions, ...(lists.get('allOf') ?? []), ...(maps.get('dependentSchemas')?.values() ?? [])];
}

/** What stands behind references that say nothing else; only for schemas that are not endless. */
export function skipReferences(node: SchemaNode): SchemaNode {
  const { asserts, ones, lists, maps, refs } = node;
  const [target] = refs;
  const plain = asserts.size + ones.size + lists.size + maps.size === 0 && refs.length === 1;
  return plain && target !== undefined ? skipReferences(target) : node;
}

/** Whether a schema would be applied to one value without end. */
export function isEndless(nodes: Iterable<SchemaNode>): boolean {
  const finished = new Map<SchemaNode, boolean>();
  const visit = (node: SchemaNode): boolean => {
    const known = finished.get(node);
    if (known !== undefined) return !known;
    finished.set(node, false);
    const next = [...evaluatedWith(node), ...(node.lists.get('anyOf') ?? []), ...(node.lists.get('oneOf') ?? [])];
    const endless = next.some(visit);
    finished.set(node, !endless);
    return endless;
  };
  return [...nodes].some(visit);
}

/** The property that tells the branches of a union apart, so that a validator goes into one of them only. */
export interface Tag {
  readonly property: string;
  /** The values that each branch has for it. Branches that do not look into the value have none. */
  readonly values: ReadonlyMap<SchemaNode, readonly unknown[]>;
}

/** A property that all of these require, each with other fixed values. */
export function findTag(branches: readonly SchemaNode[]): Tag | undefined {
  const bodies = branches.map(skipReferences);
  for (const property of bodies[0]?.maps.get('properties')?.keys() ?? []) {
    const lists = bodies.map((body) => fixedValues(body, property));
    const all = lists.flat().map((value) => JSON.stringify(value));
    if (branches.length > 1 && lists.every((list) => list.length > 0) && new Set(all).size === all.length) {
      return { property, values: new Map(branches.map((branch, i) => [branch, lists[i] ?? []])) };
    }
  }
  return undefined;
}

function fixedValues({ asserts, maps }: SchemaNode, property: string): readonly unknown[] {
  const required = asserts.get('required');
  const fixed = maps.get('properties')?.get(property)?.asserts;
  if (fixed === undefined || !Array.isArray(required) || !required.includes(property)) return [];
  const values = fixed.has('const') ? [fixed.get('const')] : fixed.get('enum');
  return Array.isArray(values) && values.every((value) => typeof value !== 'object') ? values : [];
}
