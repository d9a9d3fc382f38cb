/** Parses JSON, with or without comments and trailing commas, into a tree with positions in the text. */

/** A value with its position; `end` is the offset after its last character. */
export type JsoncNode = JsoncObject | JsoncArray | JsoncValue;
export interface JsoncObject extends JsoncSpan {
  readonly kind: 'object';
  readonly members: readonly JsoncMember[];
}
export interface JsoncArray extends JsoncSpan {
  readonly kind: 'array';
  readonly items: readonly JsoncNode[];
}
export interface JsoncValue extends JsoncSpan {
  readonly kind: 'value';
  readonly value: string | number | boolean | null;
}
export interface JsoncMember extends JsoncSpan {
  readonly key: string;
  readonly value: JsoncNode;
}
interface JsoncSpan {
  readonly start: number;
  readonly end: number;
}

/** A syntax error, with its offset. */
export class JsoncFault extends Error {
  readonly offset: number;

  constructor(offset: number, why: string) {
    super(why);
    this.offset = offset;
  }
}

const MAX_DEPTH = 100;
/** For strict JSON: the depth limit of messages. */
const MAX_STRICT_DEPTH = 200;
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const literals: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Parses JSON with comments and trailing commas. Throws a `JsoncFault`. */
export const parseJsonc = (text: string): JsoncNode => new Reader(text, false).document();

/** Parses exactly what `JSON.parse` accepts, up to a depth limit. Throws a `JsoncFault`. */
export const parseStrictJson = (text: string): JsoncNode => new Reader(text, true).document();

/** Returns the offset after blanks and comments. */
export function skipTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (/[\s\ufeff]/.test(text[at] ?? '')) at++;
    if (text.startsWith('//', at)) at = lineEnd(text, at);
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end === -1) throw new JsoncFault(at, 'this comment is never closed; expected */');
      at = end + 2;
    } else return at;
  }
}

/** The line of an offset, counted from 1. */
export const lineOf = (text: string, offset: number): number => lineFinder(text)(offset);

/** `lineOf` for many offsets of one text. */
export function lineFinder(text: string): (offset: number) => number {
  const ends: number[] = [];
  for (const { index } of text.matchAll(/\r\n|\r|\n/g)) ends.push(index);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

function lineEnd(text: string, from: number): number {
  const end = text.slice(from).search(/[\r\n]/);
  return end === -1 ? text.length : from + end;
}

class Reader {
  readonly #text: string;
  /** Rejects comments and trailing commas. */
  readonly #isStrict: boolean;
  #at = 0;

  constructor(text: string, isStrict: boolean) {
    this.#text = text;
    this.#isStrict = isStrict;
  }

  document(): JsoncNode {
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#fault('the end of the text');
    return node;
  }

  #value(depth: number): JsoncNode {
    this.#skip();
    const deepest = this.#isStrict ? MAX_STRICT_DEPTH : MAX_DEPTH;
    if (depth > deepest) throw new JsoncFault(this.#at, `it is nested more than ${deepest} levels deep`);
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    const start = this.#at;
    const value = first === '"' ? this.#string() : this.#word();
    return { kind: 'value', value, start, end: this.#at };
  }

  #object(depth: number): JsoncObject {
    const start = this.#at;
    const members = this.#list('}', (): JsoncMember => {
      const from = this.#at;
      if (this.#text[from] !== '"') throw this.#fault('a name in double quotes, or }');
      const key = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ':') throw this.#fault(`: after ${JSON.stringify(key)}`);
      this.#at++;
      const value = this.#value(depth + 1);
      return { key, value, start: from, end: value.end };
    });
    return { kind: 'object', members, start, end: this.#at };
  }

  #array(depth: number): JsoncArray {
    const start = this.#at;
    const items = this.#list(']', () => this.#value(depth + 1));
    return { kind: 'array', items, start, end: this.#at };
  }

  /** Parses comma-separated elements up to the closing bracket. */
  #list<T>(close: string, one: () => T): T[] {
    const found: T[] = [];
    this.#at++;
    for (let comma = -1; ; comma = this.#at++) {
      this.#skip();
      if (this.#text[this.#at] === close) {
        if (comma === -1 || !this.#isStrict) break;
        throw new JsoncFault(comma, `the last comma before ${close} is one too many`);
      }
      found.push(one());
      this.#skip();
      if (this.#text[this.#at] === close) break;
      if (this.#text[this.#at] !== ',') throw this.#fault(`, or ${close}`);
    }
    this.#at++;
    return found;
  }

  #string(): string {
    const start = this.#at;
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      const char = this.#text[this.#at];
      if (char === undefined || char === '\n' || char === '\r')
        throw new JsoncFault(start, 'this text is never closed; expected "');
      if (char === '\\') this.#at++;
    }
    this.#at++;
    try {
      return String(JSON.parse(this.#text.slice(start, this.#at)));
    } catch {
      throw new JsoncFault(start, 'this text holds a control character or an escape that JSON does not know');
    }
  }

  #word(): number | boolean | null {
    const found = /^[\w.+-]*/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    const known = literals.get(found);
    if (known === undefined && !numberPattern.test(found))
      throw this.#fault('a value: an object, a list, a text in double quotes, a number, true, false or null', found);
    this.#at += found.length;
    return known === undefined ? Number(found) : known;
  }

  #skip(): void {
    if (!this.#isStrict) this.#at = skipTrivia(this.#text, this.#at);
    else while (/[ \t\n\r]/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #fault(expected: string, word = ''): JsoncFault {
    const came = word === '' ? this.#text[this.#at] : word;
    const what = came === undefined ? 'the text ends here' : `${JSON.stringify(came)} came`;
    return new JsoncFault(this.#at, `expected ${expected}; ${what}`);
  }
}
