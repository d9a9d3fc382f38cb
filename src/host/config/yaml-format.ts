/** Edits one member of a YAML text without changing any other byte. In a list, a path key selects the item with that `name`. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { JsoncFault, type JsoncMember, type JsoncNode } from '../../files/jsonc.ts';
import { memberOf, plainValue, valueIn } from '../../files/jsonc-tree.ts';
import { lineEndAt, lineSpan, lineStartAt, newlineOf, splice, type TextSpan } from '../../files/text-span.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { ConfigFormat } from './config-format.ts';
import { escapeText, inlineText, isEqualValue } from './text-edit.ts';

export const yamlFormat: ConfigFormat = {
  parse: (text) => treeOf(text),
  setAt: setInYaml,
  removeAt: removeFromYaml,
  empty: '',
};

/** Limits the expansion of nested aliases (billion laughs attack). */
const MAX_NODES = 50_000;
/** The limit of the JSON and TOML parsers too. Also stops recursive aliases. */
const MAX_DEPTH = 100;
/** Plain scalars that some YAML version reads as something other than a string. */
const reserved = /^(?:true|false|yes|no|on|off|null|nan|inf|y|n)$/i;

function documentOf(text: string): ReturnType<typeof parseDocument> {
  checkDepth(text);
  const document = parseDocument(text, { logLevel: 'error', prettyErrors: false });
  const [fault] = document.errors;
  if (fault?.code === 'MULTIPLE_DOCS')
    throw new JsoncFault(fault.pos[0], 'it has more than one document; one was expected');
  if (fault !== undefined) throw new JsoncFault(fault.pos[0], fault.message);
  return document;
}

const tooDeep = (offset: number): JsoncFault =>
  new JsoncFault(offset, `it is nested more than ${MAX_DEPTH} levels deep`);

/** Checks the depth iteratively before the recursive parser runs: deep nesting would overflow its stack. */
function checkDepth(text: string): void {
  const parser = new Parser();
  for (const token of new Lexer().lex(text)) {
    Array.from(parser.next(token));
    // The stack has the document, its open collections, and possibly a scalar.
    if (parser.stack.length > MAX_DEPTH + 2) throw tooDeep(parser.offset);
  }
}

function treeOf(text: string): JsoncNode {
  const document = documentOf(text);
  const targets = aliasTargets(document);
  let left = MAX_NODES;
  const convert = (node: Node | null | undefined, at: number, depth: number): JsoncNode => {
    const [start, end] = node?.range ?? [at, at];
    if (--left < 0) throw new JsoncFault(start, `it has more than ${MAX_NODES} values`);
    if (depth > MAX_DEPTH) throw tooDeep(start);
    const inside = (one: Node | null | undefined, from: number): JsoncNode => convert(one, from, depth + 1);
    if (isAlias(node)) {
      const target = targets.get(node);
      if (target === undefined) throw new JsoncFault(start, `there is no anchor &${node.source} before this alias`);
      return inside(target, start);
    }
    if (isSeq<Node>(node)) return { kind: 'array', items: node.items.map((item) => inside(item, start)), start, end };
    if (!isMap<Node, Node>(node)) return { kind: 'value', value: scalarOf(node), start, end };
    const members = node.items.map(({ key, value }): JsoncMember => {
      const from = key.range?.[0] ?? start;
      const inner = inside(value, from);
      return { key: String(scalarOf(key)), value: inner, start: from, end: inner.end };
    });
    return { kind: 'object', members, start, end };
  };
  return convert(document.contents ?? null, 0, 0);
}

/** Resolves all aliases in one pass, each to the last preceding node with its anchor. `Alias.resolve` is a pass per alias. */
function aliasTargets(document: ReturnType<typeof parseDocument>): ReadonlyMap<Node, Node | undefined> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node | undefined>();
  visit(document, {
    Alias: (_, node) => void targets.set(node, anchors.get(node.source)),
    Value: (_, node) => void (node.anchor === undefined ? undefined : anchors.set(node.anchor, node)),
  });
  return targets;
}

function scalarOf(node: Node | null | undefined): string | number | boolean | null {
  const value: unknown = isScalar(node) ? node.value : null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : value === null || value === undefined
      ? null
      : String(value);
}

type Collection = YAMLMap<Node, Node | null> | YAMLSeq<Node>;

/** A member of a mapping, or an item of a list, with its span. */
interface YamlPlace extends TextSpan {
  readonly node: Node | null;
  /** The offset after the key and its colon; of an item, the start of its value. */
  readonly valueAt: number;
}

function placeIn(text: string, parent: Node | null, key: string): YamlPlace | undefined {
  if (isMap<Node, Node | null>(parent)) {
    const pair = parent.items.findLast((one) => String(scalarOf(one.key)) === key);
    const [start, keyEnd] = pair?.key.range ?? [0, 0];
    if (pair === undefined) return undefined;
    const valueAt = text.indexOf(':', keyEnd) + 1;
    return { node: pair.value, start, end: contentEnd(text, valueAt, pair.value), valueAt };
  }
  const item = isSeq<Node>(parent) ? parent.items.findLast((one) => isMap(one) && one.get('name') === key) : undefined;
  if (item === undefined) return undefined;
  const [at = 0] = item.range ?? [];
  const dash = text.lastIndexOf('-', at);
  const start = parent !== null && isFlow(parent) ? at : dash;
  return { node: item, start, end: contentEnd(text, at, item), valueAt: at };
}

/** The end of the content, without the trailing whitespace that the range of a block includes. */
function contentEnd(text: string, from: number, node: Node | null): number {
  const end = Math.max(from, node?.range?.[1] ?? from);
  return from + text.slice(from, end).trimEnd().length;
}

const isFlow = (node: Node): boolean => (isMap(node) || isSeq(node)) && node.flow === true;

function setInYaml(text: string, path: readonly string[], value: unknown): string {
  let parent: Node | null = documentOf(text).contents as Node | null;
  for (const [depth, key] of path.entries()) {
    if (isAlias(parent)) throw blockedAt(parent, path, depth);
    const place = placeIn(text, parent, key);
    if (place === undefined)
      return addMember(text, parent, { key, path, depth, value: nest(path.slice(depth + 1), value) });
    if (depth === path.length - 1) return replaceValue(text, place, path, value);
    if (isEmpty(place.node)) return setValue(text, place, nest(path.slice(depth + 1), value));
    parent = place.node;
  }
  return text;
}

const nest = (keys: readonly string[], value: unknown): unknown =>
  keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

/** True for `a:`, `a: {}` and `a: []`. */
const isEmpty = (node: Node | null): boolean =>
  node === null || (isScalar(node) && node.value === null) || ((isMap(node) || isSeq(node)) && node.items.length === 0);

const valueSpan = ({ valueAt, end }: YamlPlace): TextSpan => ({ start: valueAt, end });

function replaceValue(text: string, place: YamlPlace, path: readonly string[], value: unknown): string {
  const before = place.node === null ? null : plainValue(nodeTree(text, path));
  if (isEqualValue(before, value)) return text;
  if (isObject(value) && isObject(before)) {
    const removed = Object.keys(before).filter((key) => !Object.hasOwn(value, key));
    const rest = removed.reduce((now, key) => removeFromYaml(now, [...path, key]), text);
    return Object.entries(value).reduce((now, [key, one]) => setInYaml(now, [...path, key], one), rest);
  }
  return setValue(text, place, value);
}

const setValue = (text: string, place: YamlPlace, value: unknown): string =>
  splice(text, valueSpan(place), blockText(text, value, columnOf(text, place.start)));

function nodeTree(text: string, path: readonly string[]): JsoncNode {
  const found = path.reduce<JsoncNode | undefined>((node, key) => {
    if (node?.kind !== 'array') return memberOf(node, key);
    return node.items.findLast((item) => valueIn(memberOf(item, 'name')) === key);
  }, treeOf(text));
  return found ?? { kind: 'value', value: null, start: 0, end: 0 };
}

interface Addition {
  readonly key: string;
  readonly value: unknown;
  readonly path: readonly string[];
  readonly depth: number;
}

function addMember(text: string, parent: Node | null, { key, value, path, depth }: Addition): string {
  if (depth === 0 && isEmpty(parent)) return appendLines(text, parent, memberText(text, key, value, 0));
  if (!isMap(parent) && !isSeq(parent)) throw blockedAt(parent, path, depth);
  const [start, end] = parent.range ?? [0, 0];
  if (isFlow(parent)) {
    const one = isMap(parent) ? `${keyText(key)}: ${flowText(value)}` : flowText(value);
    const close = start + text.slice(start, end).trimEnd().length - 1;
    const inside = text.slice(start + 1, close).trimEnd();
    const at = start + 1 + inside.length;
    return splice(text, { start: at, end: at }, `${/(?:^|,)$/.test(inside) ? ' ' : ', '}${one}`);
  }
  const first = isSeq<Node>(parent) ? text.lastIndexOf('-', parent.items[0]?.range?.[0] ?? start) : start;
  const column = columnOf(text, first);
  const lines = isSeq(parent) ? itemText(text, value, column) : memberText(text, key, value, column);
  const at = lineEndAt(text, start + text.slice(start, end).trimEnd().length);
  return splice(text, { start: at, end: at }, `${newlineOf(text)}${lines}`);
}

/** Appends lines. Adds no final newline if the text has none. */
function appendLines(text: string, root: Node | null, lines: string): string {
  const newline = newlineOf(text);
  if (isMap(root) || isSeq(root))
    return splice(text, { start: root.range?.[0] ?? 0, end: root.range?.[1] ?? 0 }, lines);
  if (text === '' || text.endsWith('\n')) return `${text}${lines}${newline}`;
  return `${text}${newline}${lines}`;
}

function removeFromYaml(text: string, path: readonly string[]): string {
  let parent: Node | null = documentOf(text).contents as Node | null;
  let outer: YamlPlace | undefined;
  for (const key of path.slice(0, -1)) {
    outer = placeIn(text, parent, key);
    parent = outer?.node ?? null;
  }
  const place = placeIn(text, parent, path.at(-1) ?? '');
  if (place === undefined || parent === null) return text;
  if (isFlow(parent)) return removeFromFlow(text, place);
  // Writes `{}` or `[]`, because an empty block would read as null.
  const isLast = (parent as Collection).items.length === 1;
  if (isLast && outer !== undefined) return splice(text, valueSpan(outer), isSeq(parent) ? ' []' : ' {}');
  return splice(text, lineSpan(text, place), '');
}

function removeFromFlow(text: string, { start, end }: YamlPlace): string {
  const after = /^\s*,[ \t]*/.exec(text.slice(end))?.[0] ?? '';
  const before = after === '' ? (/,?\s*$/.exec(text.slice(0, start))?.[0] ?? '') : '';
  return splice(text, { start: start - before.length, end: end + after.length }, '');
}

const columnOf = (text: string, offset: number): number => offset - lineStartAt(text, offset);

function blockedAt(node: Node | null, path: readonly string[], depth: number): JsoncFault {
  const why = `expected a mapping at "${path.slice(0, depth).join('.')}"; correct it by hand first`;
  return new JsoncFault(node?.range?.[0] ?? 0, why);
}

const keyText = (key: string): string => (/^[a-z_][\w-]*$/i.test(key) && !reserved.test(key) ? key : escapeText(key));

const flowText = (value: unknown): string => inlineText(value, (key) => `${keyText(key)}:`);

/** The text after `key:`; nested lines are indented by two spaces. */
function blockText(text: string, value: unknown, column: number): string {
  if (Array.isArray(value) && value.length > 0 && value.every(isObject))
    return value.map((item) => `${newlineOf(text)}${itemText(text, item, column + 2)}`).join('');
  if (!isObject(value) || Object.keys(value).length === 0) return ` ${flowText(value)}`;
  const newline = newlineOf(text);
  return Object.entries(value)
    .map(([key, one]) => newline + memberText(text, key, one, column + 2))
    .join('');
}

const memberText = (text: string, key: string, value: unknown, column: number): string =>
  `${' '.repeat(column)}${keyText(key)}:${blockText(text, value, column)}`;

function itemText(text: string, value: unknown, column: number): string {
  const lines = blockText(text, value, column);
  return `${' '.repeat(column)}- ${lines.trimStart()}`;
}
