/** Changes one value of a JSON or JSONC text, and preserves everything else: comments, order, blanks, commas. */
import { isObject } from '../jsonrpc/message.ts';
import { type JsoncArray, JsoncFault, type JsoncNode, type JsoncObject, parseJsonc, skipTrivia } from './jsonc.ts';
import { isObjectNode, type JsoncPath, nodeAt, plainValue } from './jsonc-tree.ts';
import { newlineOf, splice, type TextSpan } from './text-span.ts';

/**
 * Returns the text with `value` at `path`. Creates missing objects and lists on the path, and leaves equal values untouched. Throws
 * `JsoncFault` if another kind of value is on the path, because replacing it would lose its content.
 */
export function setAt(text: string, path: JsoncPath, value: unknown): string {
  const root = parseJsonc(text);
  const there = nodeAt(root, path);
  if (there !== undefined) return replaceNode(text, path, there, value);
  const depth = depthOf(root, path);
  const [step = '', ...rest] = path.slice(depth);
  const parent = nodeAt(root, path.slice(0, depth));
  const wrapped = rest.reduceRight<unknown>((inner, one) => wrap(one, inner), value);
  if (isNull(parent)) return splice(text, parent ?? root, render(wrap(step, wrapped), styleOf(text), 0));
  if (parent?.kind !== (typeof step === 'number' ? 'array' : 'object')) throw blockedPath(path, parent ?? root);
  return insertPart(text, parent as JsoncArray | JsoncObject, { step, value: wrapped }); // by its kind
}

const wrap = (step: string | number, value: unknown): unknown =>
  typeof step === 'number' ? [value] : { [step]: value };

/** Returns the text without the value at `path`. Removes all duplicates of an object's member. */
export function removeAt(text: string, path: JsoncPath): string {
  const step = path.at(-1);
  const parent = nodeAt(parseJsonc(text), path.slice(0, -1));
  const parts = partsOf(parent);
  const index = typeof step === 'number' ? step : parts.findLastIndex((one) => 'key' in one && one.key === step);
  const [before, part] = [parts[index - 1], parts[index]];
  if (part === undefined) return text;
  const again = (rest: string): string => (typeof step === 'number' ? rest : removeAt(rest, path));
  const comma = skipTrivia(text, part.end);
  if (text[comma] === ',') return again(cutPart(text, part, comma));
  if (before === undefined) return again(cutPart(text, part, undefined));
  // Also removes the comma before it, since strict parsers reject a trailing comma.
  const stray = skipTrivia(text, before.end);
  if (/^, *$/.test(text.slice(stray, part.start))) return again(text.slice(0, stray) + text.slice(part.end));
  const rest = cutPart(text, part, undefined);
  return again(rest.slice(0, stray) + rest.slice(stray + 1));
}

/** The members of an object or the items of a list. */
function partsOf(node: JsoncNode | undefined): JsoncObject['members'] | JsoncArray['items'] {
  if (node?.kind === 'object') return node.members;
  return node?.kind === 'array' ? node.items : [];
}

/** Removes the part and its comma, and its line if the part was alone on it. */
function cutPart(text: string, { start, end }: TextSpan, comma: number | undefined): string {
  const between = comma === undefined ? '' : text.slice(end, comma);
  const rest = text.slice(comma === undefined ? end : comma + 1).replace(/^[ \t]+/, '');
  const head = text.slice(0, start);
  // Removes the whole line only if nothing follows on it: a line comment before it would otherwise include the rest.
  if (between === '' && /^\r?(?:\n|$)/.test(rest)) return head.replace(/\r?\n[ \t]*$/, '') + rest;
  return head + between + rest;
}

function replaceNode(text: string, path: JsoncPath, there: JsoncNode, value: unknown): string {
  if (isObject(value) && isObjectNode(there)) {
    const gone = there.members.map(({ key }) => key).filter((key) => !Object.hasOwn(value, key));
    const rest = gone.reduce((now, key) => removeAt(now, [...path, key]), text);
    return Object.entries(value).reduce((now, [key, one]) => setAt(now, [...path, key], one), rest);
  }
  if (JSON.stringify(plainValue(there)) === JSON.stringify(value)) return text;
  const style = styleOf(text);
  return splice(text, there, render(value, style, levelOf(text, there.start, style)));
}

function insertPart(
  text: string,
  parent: JsoncObject | JsoncArray,
  { step, value }: { readonly step: string | number; readonly value: unknown },
): string {
  const style = styleOf(text);
  const last = partsOf(parent).at(-1);
  const comma = last === undefined ? -1 : skipTrivia(text, last.end);
  const trailing = text[comma] === ',';
  const close = parent.end - 1;
  const oneLine = last !== undefined && !text.slice(parent.start, close).includes('\n');
  const level = levelOf(text, parent.start, style);
  const isCompact = oneLine && text[close - 1] !== ' ' && !/[:,] /.test(text.slice(parent.start, close));
  const written = isCompact ? JSON.stringify(value) : render(value, oneLine ? undefined : style, level + 1);
  const key = typeof step === 'number' ? '' : `${JSON.stringify(step)}:${isCompact ? '' : ' '}`;
  const part = `${key}${written}${trailing ? ',' : ''}`;
  const separated = last === undefined || trailing ? text : `${text.slice(0, last.end)},${text.slice(last.end)}`;
  const shift = separated.length - text.length;
  // Inserts after the last content, including a comment at the end of the last line.
  const at = separated.slice(0, close + shift).trimEnd().length;
  if (oneLine) return `${separated.slice(0, at)}${isCompact ? '' : ' '}${part}${separated.slice(at)}`;
  const line = `${style.newline}${style.indent.repeat(level + 1)}${part}`;
  const tail = separated.slice(at, close + shift);
  const closing = tail.includes('\n') ? tail : `${style.newline}${style.indent.repeat(level)}`;
  return separated.slice(0, at) + line + closing + separated.slice(close + shift);
}

interface JsoncStyle {
  readonly indent: string;
  readonly newline: string;
}

/** Detects the indentation and line breaks of the text. */
function styleOf(text: string): JsoncStyle {
  const indent = /\n([ \t]+)["}\]/]/.exec(text)?.[1] ?? '  ';
  return { indent, newline: newlineOf(text) };
}

/** The indentation level of the line at the offset. */
function levelOf(text: string, offset: number, { indent }: JsoncStyle): number {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const blanks = /^[ \t]*/.exec(line)?.[0] ?? '';
  return Math.floor(blanks.length / indent.length);
}

/** Serializes a value; on one line without a style. */
function render(value: unknown, style: JsoncStyle | undefined, level: number): string {
  if (style === undefined) return JSON.stringify(value).replace(/^\{(?=.)(.*)\}$/, '{ $1 }');
  const lines = JSON.stringify(value, null, style.indent).split('\n');
  return lines.join(style.newline + style.indent.repeat(level));
}

/** The number of leading steps of the path that exist. */
const depthOf = (root: JsoncNode, path: JsoncPath): number =>
  path.findIndex((_, at) => nodeAt(root, path.slice(0, at + 1)) === undefined);

const isNull = (node: JsoncNode | undefined): boolean => node?.kind === 'value' && node.value === null;

function blockedPath(path: JsoncPath, { kind, start }: JsoncNode): JsoncFault {
  const name = path.slice(0, -1).join('.');
  const found = kind === 'array' ? 'a list' : kind === 'object' ? 'an object' : 'a plain value';
  const wanted = typeof path.at(-1) === 'number' ? 'a list' : 'an object';
  return new JsoncFault(start, `expected ${wanted} at "${name}" and found ${found}; correct it by hand first`);
}
