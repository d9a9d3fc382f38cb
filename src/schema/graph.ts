/** A schema as a graph, without dialects, names and references. */

export interface Node {
  /** Set where the schema is just `true` or `false`. */
  readonly always: boolean | undefined;
  /** Keywords without subschemas, then those with one, with a list, with a map of them. */
  readonly asserts: Map<string, unknown>;
  readonly ones: Map<string, Node>;
  readonly lists: Map<string, readonly Node[]>;
  readonly maps: Map<string, ReadonlyMap<string, Node>>;
  /** What `$ref` and `$dynamicRef` lead to. */
  readonly refs: Node[];
  /** What its regular expressions cost per character: of the value, and of each property's name. */
  steps: number;
  nameSteps: number;
  /** Where an expression takes more than that: the longest text it is tried on, and the evaluations that this costs at worst. */
  slow: { readonly longest: number; readonly evaluations: number } | undefined;
  /** A keyword was left out, so more is accepted than was written. */
  weakened: boolean;
}

export const emptyNode = (always: boolean | undefined): Node => ({
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
export function successors({ refs, ones, lists, maps }: Node): Node[] {
  const named = [...maps].filter(([keyword]) => !isDefinitions(keyword)).flatMap(([, map]) => [...map.values()]);
  return [...refs, ...ones.values(), ...[...lists.values()].flat(), ...named];
}

/** Those that are evaluated at the same value, except the branches of `anyOf` and `oneOf`. */
export function alongside({ refs, ones, lists, maps }: Node): Node[] {
  const conditions = ['not', 'if', 'then', 'else'].flatMap((keyword) => ones.get(keyword) ?? []);
  return [...refs, ...conditions, ...(lists.get('allOf') ?? []), ...(maps.get('dependentSchemas')?.values() ?? [])];
}

/** What stands behind references that say nothing else; only for schemas that are not endless. */
export function behind(node: Node): Node {
  const { asserts, ones, lists, maps, refs } = node;
  const [target] = refs;
  const plain = asserts.size + ones.size + lists.size + maps.size === 0 && refs.length === 1;
  return plain && target !== undefined ? behind(target) : node;
}

/** Whether a schema would be applied to one value without end. */
export function isEndless(nodes: Iterable<Node>): boolean {
  const finished = new Map<Node, boolean>();
  const visit = (node: Node): boolean => {
    const known = finished.get(node);
    if (known !== undefined) return !known;
    finished.set(node, false);
    const next = [...alongside(node), ...(node.lists.get('anyOf') ?? []), ...(node.lists.get('oneOf') ?? [])];
    const endless = next.some(visit);
    finished.set(node, !endless);
    return endless;
  };
  return [...nodes].some(visit);
}
