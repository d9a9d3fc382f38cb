/** Reads nodes and values of a JSONC tree. */
import type { JsoncNode, JsoncObject } from './jsonc.ts';

/** Names of members and indexes of items. */
export type JsoncPath = readonly (string | number)[];

/** Returns the value of a member; of duplicates the last one, as `JSON.parse` does. */
export function memberOf(node: JsoncNode | undefined, key: string): JsoncNode | undefined {
  if (node?.kind !== 'object') return undefined;
  return node.members.findLast((member) => member.key === key)?.value;
}

export function nodeAt(root: JsoncNode, path: JsoncPath): JsoncNode | undefined {
  return path.reduce<JsoncNode | undefined>(partOf, root);
}

function partOf(node: JsoncNode | undefined, step: string | number): JsoncNode | undefined {
  if (typeof step === 'string') return memberOf(node, step);
  return node?.kind === 'array' ? node.items[step] : undefined;
}

/** The value of a string, number, boolean or null; undefined for other nodes. */
export const valueIn = (node: JsoncNode | undefined): unknown => (node?.kind === 'value' ? node.value : undefined);

/** Converts a node to a plain value without positions. */
export function plainValue(node: JsoncNode): unknown {
  if (node.kind === 'array') return node.items.map(plainValue);
  if (node.kind === 'object') return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]));
  return node.value;
}

export const isObjectNode = (node: JsoncNode | undefined): node is JsoncObject => node?.kind === 'object';
