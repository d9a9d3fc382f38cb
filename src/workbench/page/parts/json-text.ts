/** JSON as a text that the user owns: parsed with the place of every value, so that an edit replaces one value and leaves the rest as typed. */

export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

/** One value of the text, and where it stands. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly value: JsonValue;
  /** Of an object, in the order of the text; a name that stands twice is there twice. */
  readonly members?: readonly JsonMember[];
  readonly items?: readonly JsonNode[];
}

export interface JsonMember {
  readonly name: string;
  /** Where the name begins; the member ends with its value. */
  readonly start: number;
  readonly node: JsonNode;
}

/** What is wrong with a text, and where; lines and columns count from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly message: string;
}

export type JsonParsed = { readonly node: JsonNode } | { readonly fault: JsonFault };
export type JsonPath = readonly (string | number)[];

/** Deeper texts are rejected: a parser that recurses must end before the stack does. */
const MAX_TEXT_DEPTH = 500;

class Fault {
  readonly offset: number;
  readonly message: string;
  constructor(offset: number, message: string) {
    this.offset = offset;
    this.message = message;
  }
}

export function parseJsonText(text: string): JsonParsed {
  try {
    const at = skipSpace(text, 0);
    const node = readValue(text, at, 0);
    const end = skipSpace(text, node.end);
    if (end < text.length) throw new Fault(end, `Nothing more is expected here, found ${shown(text, end)}`);
    return { node };
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const before = text.slice(0, fault.offset).split('\n');
    return {
      fault: {
        line: before.length,
        column: (before.at(-1) ?? '').length + 1,
        offset: fault.offset,
        message: fault.message,
      },
    };
  }
}

/** The node at a path; of two members with one name the last counts, as it does for JSON.parse. */
export function jsonNodeAt(root: JsonNode, path: JsonPath): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of path) {
    if (typeof step === 'number') node = node?.items?.[step];
    else node = node?.members?.findLast(({ name }) => name === step)?.node;
  }
  return node;
}

/**
 * The text with one value replaced, added or, when it is undefined, removed. Everything else stays as it was typed. Objects on the
 * way that are missing are made.
 */
export function withValueAt(text: string, path: JsonPath, value: JsonValue | undefined): string {
  const parsed = parseJsonText(text);
  if ('fault' in parsed) return text;
  const found = jsonNodeAt(parsed.node, path);
  if (found !== undefined) {
    if (value === undefined) return path.length === 0 ? text : removed(text, parsed.node, path);
    return replaced(text, found, value);
  }
  if (value === undefined || path.length === 0) return text;
  const parentPath = path.slice(0, -1);
  const step = path.at(-1);
  const parent = jsonNodeAt(parsed.node, parentPath);
  if (typeof step === 'string' && parent?.members !== undefined)
    return added(text, parent, `${JSON.stringify(step)}: `, value);
  if (typeof step === 'number' && parent?.items !== undefined) return added(text, parent, '', value);
  return withValueAt(text, parentPath, typeof step === 'number' ? [value] : { [String(step)]: value });
}

/** Indented by two spaces; a text that does not parse stays as it is. */
export function formatted(text: string): string {
  const parsed = parseJsonText(text);
  return 'fault' in parsed ? text : JSON.stringify(parsed.node.value, null, 2);
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^\s*/.exec(line)?.[0] ?? '';
}

function written(value: JsonValue, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}

function replaced(text: string, node: JsonNode, value: JsonValue): string {
  return text.slice(0, node.start) + written(value, indentAt(text, node.start)) + text.slice(node.end);
}

/** Behind the last member or item, in the manner of the text: on a line of its own, or on the same one. */
function added(text: string, parent: JsonNode, name: string, value: JsonValue): string {
  const last = parent.members?.at(-1) ?? parent.items?.at(-1);
  const inLines = last === undefined || text.slice(parent.start, parent.end).includes('\n');
  const outer = indentAt(text, parent.start);
  const inner = last === undefined ? `${outer}  ` : indentAt(text, last.start);
  const space = inLines ? `\n${inner}` : ' ';
  const piece = `${space}${name}${written(value, inner)}`;
  if (last === undefined) return `${text.slice(0, parent.start + 1)}${piece}\n${outer}${text.slice(parent.end - 1)}`;
  const end = 'node' in last ? last.node.end : last.end;
  return `${text.slice(0, end)},${piece}${text.slice(end)}`;
}

function removed(text: string, root: JsonNode, path: JsonPath): string {
  const parent = jsonNodeAt(root, path.slice(0, -1));
  const step = path.at(-1);
  const parts: readonly (JsonMember | JsonNode)[] = parent?.members ?? parent?.items ?? [];
  const index = typeof step === 'number' ? step : (parent?.members ?? []).findLastIndex(({ name }) => name === step);
  const part = parts[index];
  if (part === undefined || parent === undefined) return text;
  const endOf = (one: JsonMember | JsonNode): number => ('node' in one ? one.node.end : one.end);
  const before = parts[index - 1];
  const after = parts[index + 1];
  const [from, to] =
    after !== undefined
      ? [part.start, after.start]
      : before !== undefined
        ? [endOf(before), endOf(part)]
        : [parent.start + 1, parent.end - 1];
  return text.slice(0, from) + text.slice(to);
}

function skipSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && ' \t\n\r'.includes(text.charAt(i))) i++;
  return i;
}

/** What stands at a place, for a sentence. */
function shown(text: string, at: number): string {
  return at >= text.length ? 'the end of the text' : JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
}

function readValue(text: string, at: number, depth: number): JsonNode {
  if (depth > MAX_TEXT_DEPTH) throw new Fault(at, `At most ${MAX_TEXT_DEPTH} levels are read`);
  const first = text.charAt(at);
  if (first === '{') return readObject(text, at, depth);
  if (first === '[') return readArray(text, at, depth);
  if (first === '"') return readString(text, at);
  if (first === "'") throw new Fault(at, 'Text stands in double quotes');
  for (const [word, value] of [
    ['true', true],
    ['false', false],
    ['null', null],
  ] as const)
    if (text.startsWith(word, at) && !/\w/.test(text.charAt(at + word.length)))
      return { start: at, end: at + word.length, value };
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(text.slice(at, at + 400))?.[0];
  if (number !== undefined) {
    const next = text.charAt(at + number.length);
    if (/[\w.]/.test(next)) throw new Fault(at + number.length, `A number ends here, found ${JSON.stringify(next)}`);
    return { start: at, end: at + number.length, value: Number(number) };
  }
  throw new Fault(at, `A value is expected here, found ${shown(text, at)}`);
}

function readObject(text: string, start: number, depth: number): JsonNode {
  const members: JsonMember[] = [];
  // Without a prototype: a member named __proto__ is a member.
  const value: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
  let at = skipSpace(text, start + 1);
  if (text.charAt(at) === '}') return { start, end: at + 1, value: { ...value }, members };
  for (;;) {
    if (text.charAt(at) !== '"')
      throw new Fault(at, `A name in double quotes is expected here, found ${shown(text, at)}`);
    const name = readString(text, at);
    const colon = skipSpace(text, name.end);
    if (text.charAt(colon) !== ':')
      throw new Fault(colon, `":" is expected after the name, found ${shown(text, colon)}`);
    const node = readValue(text, skipSpace(text, colon + 1), depth + 1);
    members.push({ name: String(name.value), start: at, node });
    value[String(name.value)] = node.value;
    const [next, ended] = readComma(text, node.end, '}');
    if (ended) return { start, end: next, value: { ...value }, members };
    at = next;
  }
}

function readArray(text: string, start: number, depth: number): JsonNode {
  const items: JsonNode[] = [];
  let at = skipSpace(text, start + 1);
  if (text.charAt(at) === ']') return { start, end: at + 1, value: [], items };
  for (;;) {
    const node = readValue(text, at, depth + 1);
    items.push(node);
    const [next, ended] = readComma(text, node.end, ']');
    if (ended) return { start, end: next, value: items.map((item) => item.value), items };
    at = next;
  }
}

/** What follows a member or an item: another one, or the end. */
function readComma(text: string, from: number, close: '}' | ']'): [number, boolean] {
  const at = skipSpace(text, from);
  if (text.charAt(at) === close) return [at + 1, true];
  if (text.charAt(at) !== ',') throw new Fault(at, `"," or "${close}" is expected here, found ${shown(text, at)}`);
  const next = skipSpace(text, at + 1);
  if (text.charAt(next) === close) throw new Fault(at, `The last comma before "${close}" is one too many`);
  return [next, false];
}

function readString(text: string, start: number): JsonNode {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) return { start, end: i + 1, value: JSON.parse(text.slice(start, i + 1)) as string }; // checked above
    if (c < 0x20)
      throw new Fault(
        i,
        c === 0x0a
          ? 'The text in quotes does not end on its line'
          : 'A control character must be written as \\u and four digits',
      );
    if (c !== 0x5c) continue;
    const escaped = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(i, i + 6))?.[0];
    if (escaped === undefined) throw new Fault(i, 'A backslash is followed by one of " \\ / b f n r t u');
    i += escaped.length - 1;
  }
  throw new Fault(start, 'The text in quotes does not end');
}
