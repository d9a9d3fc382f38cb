/** Looking things up in a tree of JSONC. */
import type { JsoncNode, JsoncObject } from './jsonc.ts';

/** Names of members, and places of items from 0. */
export type JsoncPath = readonly (string | number)[];

/** Of members with the same name the last one counts, as everywhere in JSON. */
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

/** Of a text, a number, a boolean or null. */
export const valueIn = (node: JsoncNode | undefined): unknown => (node?.kind === 'value' ? node.value : undefined);

/** The value, without where it stands. */
export function plainValue(node: JsoncNode): unknown {
  if (node.kind === 'array') return node.items.map(plainValue);
  if (node.kind === 'object') return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]));
  return node.value;
}

export const isObjectNode = (node: JsoncNode | undefined): node is JsoncObject => node?.kind === 'object';
