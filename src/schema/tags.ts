/** Finds the property that tells the branches of a union apart, so that a validator need not go into all of them. */
import { behind, type Node } from './graph.ts';

export interface Tag {
  readonly property: string;
  /** The values that each branch has for it. Branches that do not look into the value have none. */
  readonly values: ReadonlyMap<Node, readonly unknown[]>;
}

/** A property that all of these require, each with other fixed values. */
export function findTag(branches: readonly Node[]): Tag | undefined {
  const bodies = branches.map(behind);
  for (const property of bodies[0]?.maps.get('properties')?.keys() ?? []) {
    const lists = bodies.map((body) => fixedValues(body, property));
    const all = lists.flat().map((value) => JSON.stringify(value));
    if (branches.length > 1 && lists.every((list) => list.length > 0) && new Set(all).size === all.length) {
      return { property, values: new Map(branches.map((branch, i) => [branch, lists[i] ?? []])) };
    }
  }
  return undefined;
}

function fixedValues({ asserts, maps }: Node, property: string): readonly unknown[] {
  const required = asserts.get('required');
  const fixed = maps.get('properties')?.get(property)?.asserts;
  if (fixed === undefined || !Array.isArray(required) || !required.includes(property)) return [];
  const values = fixed.has('const') ? [fixed.get('const')] : fixed.get('enum');
  return Array.isArray(values) && values.every((value) => typeof value !== 'object') ? values : [];
}
