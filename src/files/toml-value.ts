/** Parses values and keys of TOML: strings, arrays, inline tables, numbers, booleans and dates. */
import { JsoncFault, type JsoncMember, type JsoncNode, type JsoncObject } from './jsonc.ts';

/** A text and the position of the parser. */
export interface TomlCursor {
  readonly text: string;
  at: number;
}

const MAX_DEPTH = 100;
const escapes: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\u001b'],
  ['"', '"'],
  ['\\', '\\'],
]);
const integer = /^[+-]?(?:0|[1-9](?:_?\d)*)$|^0x[\da-f](?:_?[\da-f])*$|^0o[0-7](?:_?[0-7])*$|^0b[01](?:_?[01])*$/i;
const float = /^[+-]?(?:(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:e[+-]?\d(?:_?\d)*)?|inf|nan)$/i;
const dateTime =
  /^(?:\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/;

export function readTomlValue(cursor: TomlCursor, depth = 0): JsoncNode {
  const { text, at: start } = cursor;
  if (depth > MAX_DEPTH) throw new JsoncFault(start, `it is nested more than ${MAX_DEPTH} levels deep`);
  if (text[start] === '[') return readArray(cursor, depth);
  if (text[start] === '{') return readInlineTable(cursor, depth);
  const quote = text[start];
  const value = quote === '"' || quote === "'" ? readTomlText(cursor, { multiline: true }) : readWord(cursor);
  return { kind: 'value', value, start, end: cursor.at };
}

/** Skips blanks; with `lines`, also line breaks and comments. */
export function skipToml(cursor: TomlCursor, { lines }: { readonly lines: boolean }): void {
  const blank = lines ? /(?:[ \t\r\n]|#[^\n]*)*/y : /[ \t]*/y;
  blank.lastIndex = cursor.at;
  cursor.at += blank.exec(cursor.text)?.[0].length ?? 0;
}

/** Parses a key, or a dotted key. */
export function readTomlKeys(cursor: TomlCursor): string[] {
  const keys: string[] = [];
  for (;;) {
    skipToml(cursor, { lines: false });
    keys.push(readKey(cursor));
    skipToml(cursor, { lines: false });
    if (cursor.text[cursor.at] !== '.') return keys;
    cursor.at++;
  }
}

function readKey(cursor: TomlCursor): string {
  const quote = cursor.text[cursor.at];
  if (quote === '"' || quote === "'") return readTomlText(cursor, { multiline: false });
  const word = /[\w-]+/y;
  word.lastIndex = cursor.at;
  const [found] = word.exec(cursor.text) ?? [];
  if (found === undefined) throw new JsoncFault(cursor.at, 'expected a key');
  cursor.at += found.length;
  return found;
}

/** Parses comma-separated elements up to the closing bracket. */
function readList(cursor: TomlCursor, close: string, readOne: () => void): void {
  cursor.at++;
  for (;;) {
    skipToml(cursor, { lines: true });
    if (cursor.text[cursor.at] === close) break;
    readOne();
    skipToml(cursor, { lines: true });
    if (cursor.text[cursor.at] === close) break;
    if (cursor.text[cursor.at] !== ',') throw new JsoncFault(cursor.at, `expected , or ${close}`);
    cursor.at++;
  }
  cursor.at++;
}

function readArray(cursor: TomlCursor, depth: number): JsoncNode {
  const start = cursor.at;
  const items: JsoncNode[] = [];
  readList(cursor, ']', () => items.push(readTomlValue(cursor, depth + 1)));
  return { kind: 'array', items, start, end: cursor.at };
}

/** Parses an inline table, to which later statements cannot add. */
function readInlineTable(cursor: TomlCursor, depth: number): JsoncObject {
  const start = cursor.at;
  const members: JsoncMember[] = [];
  const opened = new Map<JsoncMember[], Map<string, JsoncMember[]>>();
  readList(cursor, '}', () => {
    const from = cursor.at;
    const keys = readTomlKeys(cursor);
    expectTomlSign(cursor, '=');
    addDotted(members, keys, { opened, value: readTomlValue(cursor, depth + 1), start: from });
  });
  return { kind: 'object', members, start, end: cursor.at };
}

interface DottedPair {
  /** The tables that dotted keys created in this inline table; other keys can be added only to these. */
  readonly opened: Map<JsoncMember[], Map<string, JsoncMember[]>>;
  readonly value: JsoncNode;
  readonly start: number;
}

function addDotted(members: JsoncMember[], keys: readonly string[], { opened, value, start }: DottedPair): void {
  let table = members;
  for (const [at, key] of keys.entries()) {
    const inner = at < keys.length - 1 ? opened.get(table)?.get(key) : undefined;
    if (inner === undefined && table.some((one) => one.key === key))
      throw new JsoncFault(start, `the key ${JSON.stringify(key)} is there twice`);
    if (at === keys.length - 1) table.push({ key, value, start, end: value.end });
    else table = inner ?? openDotted(table, key, { opened, value, start });
  }
}

function openDotted(table: JsoncMember[], key: string, { opened, value: { end }, start }: DottedPair): JsoncMember[] {
  const below: JsoncMember[] = [];
  opened.set(table, (opened.get(table) ?? new Map<string, JsoncMember[]>()).set(key, below));
  table.push({ key, value: { kind: 'object', members: below, start, end }, start, end });
  return below;
}

export function expectTomlSign(cursor: TomlCursor, sign: string): void {
  if (!cursor.text.startsWith(sign, cursor.at)) throw new JsoncFault(cursor.at, `expected ${sign}`);
  cursor.at += sign.length;
  skipToml(cursor, { lines: false });
}

function readWord(cursor: TomlCursor): string | number | boolean {
  const pattern = /\d{4}-\d\d-\d\d \d\d:[\w.+:-]+|[\w.+:-]+/y;
  pattern.lastIndex = cursor.at;
  const [word = ''] = pattern.exec(cursor.text) ?? [];
  const value = wordValue(word);
  if (value === undefined)
    throw new JsoncFault(
      cursor.at,
      'expected a value: a text in quotes, a number, a date, true, false, a list or a table',
    );
  cursor.at += word.length;
  return value;
}

function wordValue(word: string): string | number | boolean | undefined {
  if (word === 'true' || word === 'false') return word === 'true';
  const plain = word.replaceAll('_', '');
  if (integer.test(word)) return Number(plain);
  if (float.test(word)) return /inf$/i.test(word) ? Number(plain.replace(/inf/i, 'Infinity')) : Number(plain);
  return dateTime.test(word) ? word : undefined;
}

/** Parses a string: literal in single quotes, with escapes in double quotes, multiline in triple quotes. */
function readTomlText(cursor: TomlCursor, { multiline }: { readonly multiline: boolean }): string {
  const { text, at: start } = cursor;
  const quote = text[start] ?? '';
  const long = multiline && text.startsWith(quote.repeat(3), start);
  const pattern = long
    ? quote === '"'
      ? /"""((?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{0,2})"""/y
      : /'''((?:[^']|'{1,2}(?!'))*'{0,2})'''/y
    : quote === '"'
      ? /"((?:[^"\\\r\n]|\\[^\r\n])*)"/y
      : /'([^'\r\n]*)'/y;
  pattern.lastIndex = start;
  const [all, inside] = pattern.exec(text) ?? [];
  if (all === undefined || inside === undefined)
    throw new JsoncFault(start, `this text is never closed; expected ${quote.repeat(long ? 3 : 1)}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: TOML forbids these
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(inside)) throw new JsoncFault(start, 'this text holds a control character');
  cursor.at = start + all.length;
  const body = long ? inside.replace(/^\r?\n/, '') : inside;
  return quote === '"' ? unescapeToml(body, start) : body;
}

function unescapeToml(text: string, offset: number): string {
  return text.replace(
    /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([ \t]*\r?\n[ \t\r\n]*)|([\s\S]))/g,
    (_, u, U, x, line, sign) => {
      if (line !== undefined) return '';
      const code = Number.parseInt(u ?? U ?? x ?? '', 16);
      if (code <= 0x10_ffff && !(code >= 0xd8_00 && code <= 0xdf_ff)) return String.fromCodePoint(code);
      const known = escapes.get(sign ?? '');
      if (known === undefined) throw new JsoncFault(offset, 'this text holds an escape that TOML does not know');
      return known;
    },
  );
}
