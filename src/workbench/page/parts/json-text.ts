/** Edits JSON as text: an edit replaces one value, and leaves formatting and spelling of the rest unchanged. */
import { JsoncFault, type JsoncNode, parseStrictJson } from '../../../files/jsonc.ts';
import { removeAt, setAt } from '../../../files/jsonc-edit.ts';
import { type JsoncPath, nodeAt, plainValue } from '../../../files/jsonc-tree.ts';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

/** A syntax error; lines and columns count from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type JsonParsed = { readonly node: JsoncNode; readonly value: JsonValue } | { readonly fault: JsonFault };

export function parseJsonText(text: string): JsonParsed {
  try {
    const node = parseStrictJson(text);
    return { node, value: jsonValue(node) };
  } catch (thrown) {
    if (!(thrown instanceof JsoncFault)) throw thrown;
    const before = text.slice(0, thrown.offset).split('\n');
    return { fault: { line: before.length, column: (before.at(-1) ?? '').length + 1, message: thrown.message } };
  }
}

const jsonValue = (node: JsoncNode): JsonValue => plainValue(node) as JsonValue; // strict JSON has only these types

/** The value at a path; undefined if absent. */
export function jsonValueAt(root: JsoncNode, path: JsoncPath): JsonValue | undefined {
  const node = nodeAt(root, path);
  return node && jsonValue(node);
}

/** Replaces or adds one value; undefined removes it. A parent that is not an object or list, as the path needs, is replaced by one. */
export function withValueAt(text: string, path: JsoncPath, value: JsonValue | undefined): string {
  const parsed = parseJsonText(text);
  if ('fault' in parsed) return text;
  if (value === undefined) return removeAt(text, path);
  const [parent, step] = [path.slice(0, -1), path.at(-1)];
  const hasParent = nodeAt(parsed.node, parent)?.kind === (typeof step === 'number' ? 'array' : 'object');
  if (step === undefined || hasParent) return setAt(text, path, value);
  return withValueAt(text, parent, typeof step === 'number' ? [value] : { [step]: value });
}

/** Indents by two spaces; returns a text that does not parse unchanged. */
export function formatJsonText(text: string): string {
  const parsed = parseJsonText(text);
  return 'fault' in parsed ? text : JSON.stringify(parsed.value, null, 2);
}
