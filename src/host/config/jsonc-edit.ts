/** Changes one member of a JSONC text and leaves every other byte alone: comments, order, blanks, commas. */
import {
  JsoncFault,
  type JsoncMember,
  type JsoncNode,
  type JsoncObject,
  parseJsonc,
  skipTrivia,
} from '../../files/jsonc.ts';
import { isObjectNode, memberOf, nodeAt, plainValue } from '../../files/jsonc-tree.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { newlineOf, splice } from './text-edit.ts';

/**
 * The text with `value` at `path`; objects on the way are made where they are missing. Equal members are not touched. Throws
 * `JsoncFault` where a list or a text stands in the way: what it holds would be lost.
 */
export function setAt(text: string, path: readonly string[], value: unknown): string {
  const root = parseJsonc(text);
  const there = nodeAt(root, path);
  if (there !== undefined) return replaceNode(text, path, there, value);
  const [key = '', ...rest] = path.slice(depthOf(root, path));
  const parent = nodeAt(root, path.slice(0, depthOf(root, path)));
  const wrapped = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  if (!isObjectNode(parent) && !isNull(parent)) throw blockedPath(path, parent ?? root);
  if (!isObjectNode(parent)) return splice(text, parent ?? root, render({ [key]: wrapped }, styleOf(text), 0));
  return insertMember(text, parent, { key, value: wrapped });
}

/** The text without the member at `path`, however often it is there. */
export function removeAt(text: string, path: readonly string[]): string {
  const parent = nodeAt(parseJsonc(text), path.slice(0, -1));
  const index = isObjectNode(parent) ? parent.members.findLastIndex(({ key }) => key === path.at(-1)) : -1;
  const member = isObjectNode(parent) ? parent.members[index] : undefined;
  if (!isObjectNode(parent) || member === undefined) return text;
  const comma = skipTrivia(text, member.end);
  if (text[comma] === ',') return removeAt(cutMember(text, member, comma), path);
  const rest = cutMember(text, member, undefined);
  const before = parent.members[index - 1];
  if (before === undefined) return removeAt(rest, path);
  // The comma before it would be the last thing in the object, which strict readers refuse.
  const stray = skipTrivia(text, before.end);
  return removeAt(rest.slice(0, stray) + rest.slice(stray + 1), path);
}

/** Without the member and its comma, and without its line if it had one to itself. */
function cutMember(text: string, { start, end }: JsoncMember, comma: number | undefined): string {
  const between = comma === undefined ? '' : text.slice(end, comma);
  const rest = text.slice(comma === undefined ? end : comma + 1).replace(/^[ \t]+/, '');
  const head = text.slice(0, start);
  // A comment on the line before must not swallow what comes next.
  if (between === '' && /^\r?(?:\n|$)/.test(rest)) return head.replace(/\r?\n[ \t]*$/, '') + rest;
  return head + between + rest;
}

function replaceNode(text: string, path: readonly string[], there: JsoncNode, value: unknown): string {
  if (isObject(value) && isObjectNode(there)) {
    const gone = there.members.map(({ key }) => key).filter((key) => !Object.hasOwn(value, key));
    const rest = gone.reduce((now, key) => removeAt(now, [...path, key]), text);
    return Object.entries(value).reduce((now, [key, one]) => setAt(now, [...path, key], one), rest);
  }
  if (JSON.stringify(plainValue(there)) === JSON.stringify(value)) return text;
  const style = styleOf(text);
  return splice(text, there, render(value, style, levelOf(text, there.start, style)));
}

function insertMember(text: string, parent: JsoncObject, { key, value }: { key: string; value: unknown }): string {
  const style = styleOf(text);
  const last = parent.members.at(-1);
  const comma = last === undefined ? -1 : skipTrivia(text, last.end);
  const trailing = text[comma] === ',';
  const close = parent.end - 1;
  const oneLine = last !== undefined && !text.slice(parent.start, close).includes('\n');
  const level = levelOf(text, parent.start, style);
  const isCompact = oneLine && text[close - 1] !== ' ';
  const written = isCompact ? JSON.stringify(value) : render(value, oneLine ? undefined : style, level + 1);
  const member = `${JSON.stringify(key)}:${isCompact ? '' : ' '}${written}${trailing ? ',' : ''}`;
  const separated = last === undefined || trailing ? text : `${text.slice(0, last.end)},${text.slice(last.end)}`;
  const shift = separated.length - text.length;
  // Behind everything that is there, also behind a comment at the end of the last line.
  const at = separated.slice(0, close + shift).trimEnd().length;
  if (oneLine) return `${separated.slice(0, at)}${isCompact ? '' : ' '}${member}${separated.slice(at)}`;
  const line = `${style.newline}${style.indent.repeat(level + 1)}${member}`;
  const tail = separated.slice(at, close + shift);
  const closing = tail.includes('\n') ? tail : `${style.newline}${style.indent.repeat(level)}`;
  return separated.slice(0, at) + line + closing + separated.slice(close + shift);
}

interface JsoncStyle {
  readonly indent: string;
  readonly newline: string;
}

/** As the text itself does it. */
function styleOf(text: string): JsoncStyle {
  const indent = /\n([ \t]+)["}\]/]/.exec(text)?.[1] ?? '  ';
  return { indent, newline: newlineOf(text) };
}

/** How far the line that holds this offset is indented. */
function levelOf(text: string, offset: number, { indent }: JsoncStyle): number {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const blanks = /^[ \t]*/.exec(line)?.[0] ?? '';
  return Math.floor(blanks.length / indent.length);
}

/** On one line where no style is given. */
function render(value: unknown, style: JsoncStyle | undefined, level: number): string {
  if (style === undefined) return JSON.stringify(value).replace(/^\{(?=.)(.*)\}$/, '{ $1 }');
  const lines = JSON.stringify(value, null, style.indent).split('\n');
  return lines.join(style.newline + style.indent.repeat(level));
}

/** How much of the path is there. */
function depthOf(root: JsoncNode, path: readonly string[]): number {
  let node: JsoncNode | undefined = root;
  for (const [depth, key] of path.entries()) {
    node = memberOf(node, key);
    if (node === undefined) return depth;
  }
  return path.length;
}

const isNull = (node: JsoncNode | undefined): boolean => node?.kind === 'value' && node.value === null;

function blockedPath(path: readonly string[], { kind, start }: JsoncNode): JsoncFault {
  const name = path.slice(0, -1).join('.');
  const found = kind === 'array' ? 'a list' : 'a plain value';
  return new JsoncFault(start, `expected an object at "${name}" and found ${found}; correct it by hand first`);
}
