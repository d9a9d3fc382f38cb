/** Parses TOML into the same tree as JSONC, and into a list of statements with their positions, for edits. */
import { parse, TomlError } from 'smol-toml';
import { JsoncFault, type JsoncMember, type JsoncNode, type JsoncValue } from './jsonc.ts';
import { lineOffset, type TextSpan } from './text-span.ts';

/** A header such as `[a.b]`, or a pair such as `c = 1` below it. The path of an element of `[[a]]` ends with its index. */
export interface TomlStatement {
  readonly kind: 'table' | 'pair';
  /** The full path from the root. */
  readonly path: readonly string[];
  readonly start: number;
  /** The offset after the last character, without a comment. */
  readonly end: number;
  /** The position of the value of a pair. */
  readonly value?: TextSpan;
}

export interface TomlDocument {
  /** Values inside arrays and inline tables have the position of their statement. */
  readonly root: JsoncNode;
  readonly statements: readonly TomlStatement[];
}

const MAX_DEPTH = 100;
const badValue = 'expected a value: a text in quotes, a number, a date, true, false, a list or a table';

/** Throws a `JsoncFault`. */
export function parseToml(text: string): TomlDocument {
  const value = readValue(text);
  const { root, statements } = readStatements(text);
  return { root: nodeOf(value, root, 0), statements };
}

function readValue(text: string): unknown {
  try {
    return parse(text, { maxDepth: MAX_DEPTH, integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The other lines of the message quote the file, which can contain secrets.
    const [why = ''] = error.message.replace('Invalid TOML document: ', '').split('\n');
    throw new JsoncFault(lineOffset(text, error.line) + error.column - 1, why === 'invalid value' ? badValue : why);
  }
}

/** A table, a pair or an element of an array of tables, at its first statement. */
interface TomlPlace {
  readonly span: TextSpan;
  readonly inside: Map<string, TomlPlace>;
  /** How many elements an array of tables (`[[a]]`) has so far. */
  elements: number;
}

function nodeOf(value: unknown, place: TomlPlace, depth: number): JsoncNode {
  const { start, end } = place.span;
  if (depth > 2 * MAX_DEPTH) throw new JsoncFault(start, `it is nested more than ${2 * MAX_DEPTH} levels deep`);
  const below = (key: string, one: unknown): JsoncNode => nodeOf(one, place.inside.get(key) ?? place, depth + 1);
  if (Array.isArray(value)) return { kind: 'array', items: value.map((one, at) => below(String(at), one)), start, end };
  if (typeof value !== 'object' || value === null || value instanceof Date)
    return { kind: 'value', value: plainWord(value), start, end };
  const members = Object.entries(value).map(([key, one]): JsoncMember => {
    const node = below(key, one);
    return { key, value: node, start: node.start, end: node.end };
  });
  return { kind: 'object', members, start, end };
}

function plainWord(value: unknown): JsoncValue['value'] {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? Number(value) : (value as JsoncValue['value']);
}

const quoted = String.raw`"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\]|\\.)*"|'[^']*'`;
const tokenPattern = new RegExp(`${quoted}|#.*|\\n|[[\\]{}=.,]|[^\\s"'#[\\]{}=.,]+`, 'g');

interface TomlToken {
  readonly sign: string;
  readonly start: number;
  readonly end: number;
}

/** Reads the statements of a valid text. */
function readStatements(text: string): TomlReader {
  const reader = new TomlReader();
  let line: TomlToken[] = [];
  let depth = 0;
  for (const { 0: sign, index: start } of text.matchAll(tokenPattern)) {
    if (sign === '\n' && depth === 0) {
      reader.add(line);
      line = [];
    }
    if (sign === '\n' || sign.startsWith('#')) continue;
    if (sign === '[' || sign === '{') depth++;
    if (sign === ']' || sign === '}') depth--;
    line.push({ sign, start, end: start + sign.length });
  }
  reader.add(line);
  return reader;
}

class TomlReader {
  readonly root: TomlPlace = { span: { start: 0, end: 0 }, inside: new Map(), elements: 0 };
  readonly statements: TomlStatement[] = [];
  #table: TomlPlace = this.root;
  #path: readonly string[] = [];

  add(line: readonly TomlToken[]): void {
    const [first, second] = line;
    const last = line.at(-1);
    if (first === undefined || last === undefined) return;
    const span = { start: first.start, end: last.end };
    if (first.sign === '[') this.#addTable(keysOf(line), span, second?.sign === '[');
    else this.#addPair(line, span);
  }

  #addPair(line: readonly TomlToken[], span: TextSpan): void {
    const sign = line.findIndex((token) => token.sign === '=');
    const keys = keysOf(line.slice(0, sign));
    keys.reduce((place, key) => placeIn(place, key, span), this.#table);
    const value = { start: line[sign + 1]?.start ?? span.end, end: span.end };
    this.statements.push({ kind: 'pair', path: [...this.#path, ...keys], ...span, value });
  }

  #addTable(keys: readonly string[], span: TextSpan, isElement: boolean): void {
    const path: string[] = [];
    let place = this.root;
    for (const [at, key] of keys.entries()) {
      path.push(key);
      place = placeIn(place, key, span);
      if (isElement && at === keys.length - 1) place.elements++;
      if (place.elements === 0) continue;
      path.push(String(place.elements - 1));
      place = placeIn(place, String(place.elements - 1), span);
    }
    this.#table = place;
    this.#path = path;
    this.statements.push({ kind: 'table', path, ...span });
  }
}

function placeIn({ inside }: TomlPlace, key: string, span: TextSpan): TomlPlace {
  const place = inside.get(key) ?? { span, inside: new Map<string, TomlPlace>(), elements: 0 };
  inside.set(key, place);
  return place;
}

const keysOf = (tokens: readonly TomlToken[]): string[] =>
  tokens.filter(({ sign }) => !/^[[\].]$/.test(sign)).map(({ sign }) => keyOf(sign));

const keyOf = (sign: string): string => (/^["']/.test(sign) ? String(parse(`key = ${sign}`)['key']) : sign);
