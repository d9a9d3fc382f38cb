/** JSON as a text that the user owns: an edit replaces one value and leaves the rest as typed. */
import { JsoncFault, type JsoncNode, parseStrictJson } from '../../../files/jsonc.ts';
import { removeAt, setAt } from '../../../files/jsonc-edit.ts';
import { type JsoncPath, nodeAt, plainValue } from '../../../files/jsonc-tree.ts';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

/** What is wrong with a text, and where; lines and columns count from 1. */
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

const jsonValue = (node: JsoncNode): JsonValue => plainValue(node) as JsonValue; // all that JSON has

/** Undefined where there is none. */
export function jsonValueAt(root: JsoncNode, path: JsoncPath): JsonValue | undefined {
  const node = nodeAt(root, path);
  return node && jsonValue(node);
}

/** The text with one value replaced, added or, when it is undefined, removed. What is no object or list, and would have to be one, gives way. */
export function withValueAt(text: string, path: JsoncPath, value: JsonValue | undefined): string {
  const parsed = parseJsonText(text);
  if ('fault' in parsed) return text;
  if (value === undefined) return removeAt(text, path);
  const [parent, step] = [path.slice(0, -1), path.at(-1)];
  const isHeld = nodeAt(parsed.node, parent)?.kind === (typeof step === 'number' ? 'array' : 'object');
  if (step === undefined || isHeld) return setAt(text, path, value);
  return withValueAt(text, parent, typeof step === 'number' ? [value] : { [step]: value });
}

/** Indented by two spaces; a text that does not parse stays as it is. */
export function formatted(text: string): string {
  const parsed = parseJsonText(text);
  return 'fault' in parsed ? text : JSON.stringify(parsed.value, null, 2);
}
