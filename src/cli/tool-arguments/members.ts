/** Builds the arguments object from `key=value` pairs, with nested members (`a.b=1`). */
import type { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { suggest } from '../../model/suggest.ts';
import { badArgument } from '../arguments.ts';
import type { ArgumentFaults } from './argument-faults.ts';
import type { ArgumentPair } from './read-tool-arguments.ts';
import type { SchemaView } from './schema-view.ts';
import { valueFromPairs } from './value-from-pairs.ts';

/** A Map, not an object, while members are added: keys are untrusted (prototype pollution). */
type MemberTree = Map<string, unknown>;

/** Valid pairs become members; invalid ones are added to `faults`. */
export function objectFrom(pairs: readonly ArgumentPair[], view: SchemaView, faults: ArgumentFaults): JsonObject {
  const tree: MemberTree = new Map();
  for (const [key, all] of groupByKey(pairs))
    faults.collect(() => {
      const place = locate(key.split('.'), view);
      if (place === undefined) throw unknownKey(key, view);
      setMember(tree, place.path, valueFromPairs(all, place.view), key);
    });
  return toObject(tree);
}

export const unknownKey = (key: string, { keys }: SchemaView): McpError =>
  badArgument(key, keys.length === 0 ? 'the tool takes no arguments' : `unknown argument; ${suggest(key, keys)}`);

export function groupByKey(pairs: readonly ArgumentPair[]): ReadonlyMap<string, readonly ArgumentPair[]> {
  const groups = new Map<string, ArgumentPair[]>();
  for (const pair of pairs) groups.set(pair.key, [...(groups.get(pair.key) ?? []), pair]);
  return groups;
}

interface FoundMember {
  readonly path: readonly string[];
  readonly view: SchemaView;
}

/** `a.b` is the member "a.b" if the schema declares it, otherwise member b of a. */
function locate(words: readonly string[], view: SchemaView): FoundMember | undefined {
  for (let length = words.length; length > 0; length--) {
    const name = words.slice(0, length).join('.');
    const inner = view.declared(name);
    const found = inner === undefined ? undefined : within(name, words.slice(length), inner);
    if (found !== undefined) return found;
  }
  const [first = '', ...rest] = words;
  return view.others === undefined || first === '' ? undefined : within(first, rest, view.others);
}

function within(name: string, rest: readonly string[], view: SchemaView): FoundMember | undefined {
  if (rest.length === 0) return { path: [name], view };
  const found = locate(rest, view);
  return found && { path: [name, ...found.path], view: found.view };
}

function setMember(tree: MemberTree, [first = '', ...rest]: readonly string[], value: unknown, key: string): void {
  const there = tree.get(first);
  if (there !== undefined && !(there instanceof Map && rest.length > 0))
    throw badArgument(key, 'given both as a whole and in parts; use one of the two');
  if (rest.length === 0) {
    tree.set(first, value);
    return;
  }
  const inner: MemberTree = there instanceof Map ? there : new Map();
  tree.set(first, inner);
  setMember(inner, rest, value, key);
}

const toObject = (tree: MemberTree): JsonObject =>
  Object.fromEntries([...tree].map(([key, value]) => [key, value instanceof Map ? toObject(value) : value]));
