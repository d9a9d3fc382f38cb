/** The schema graph: dialects, names and references are already resolved. */

export interface SchemaNode {
  /** Set if the schema is just `true` or `false`. */
  readonly always: boolean | undefined;
  /** Keywords by what they hold: no subschema, one, a list, or a map. */
  readonly asserts: Map<string, unknown>;
  readonly ones: Map<string, SchemaNode>;
  readonly lists: Map<string, readonly SchemaNode[]>;
  readonly maps: Map<string, ReadonlyMap<string, SchemaNode>>;
  /** Targets of `$ref` and `$dynamicRef`. */
  readonly refs: SchemaNode[];
  /** Regular expression steps per character: of the value (`pattern`), and of each property name (`patternProperties`). */
  steps: number;
  nameSteps: number;
  /** Set if `pattern` is not linear: the longest text that it runs on, and the worst-case cost in evaluations. */
  slow: { readonly longest: number; readonly evaluations: number } | undefined;
  /** True if a keyword was left out: the schema accepts more than its author wrote. */
  weakened: boolean;
}

/** A regular expression and the schema that contains it. Its cost is computed later. */
export interface SchemaPattern {
  readonly node: SchemaNode;
  readonly pattern: string;
  readonly at: string;
  /** True for `patternProperties`: the pattern runs on property names, not on the value. */
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

/** Every subschema that this schema applies, to the value or to its parts. */
export function subschemasOf({ refs, ones, lists, maps }: SchemaNode): SchemaNode[] {
  const named = [...maps].filter(([keyword]) => !isDefinitions(keyword)).flatMap(([, map]) => [...map.values()]);
  return [...refs, ...ones.values(), ...[...lists.values()].flat(), ...named];
}

/** Subschemas that are evaluated at the same value, except the branches of `anyOf` and `oneOf`. */
export function evaluatedWith({ refs, ones, lists, maps }: SchemaNode): SchemaNode[] {
  const conditions = ['not', 'if', 'then', 'else'].flatMap((keyword) => ones.get(keyword) ?? []);
  return [...refs, ...conditions, ...(lists.get('allOf') ?? []), ...(maps.get('dependentSchemas')?.values() ?? [])];
}

/** Resolves schemas that consist of a single `$ref` to its target. Only for schemas that are not endless. */
export function skipReferences(node: SchemaNode): SchemaNode {
  const { asserts, ones, lists, maps, refs } = node;
  const [target] = refs;
  const plain = asserts.size + ones.size + lists.size + maps.size === 0 && refs.length === 1;
  return plain && target !== undefined ? skipReferences(target) : node;
}

/** Whether a schema refers back to itself at the same value, so that its evaluation would never end. */
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

/** The discriminator of a union: the property whose value selects the only branch that a validator enters. */
export interface Tag {
  readonly property: string;
  /** The values of the property, by branch. Branches that do not look into the value are absent. */
  readonly values: ReadonlyMap<SchemaNode, readonly unknown[]>;
}

/** Finds a property that all branches require, each with different constant values. */
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
