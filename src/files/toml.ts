/** Parses TOML into the same tree as JSONC, and into a list of statements with their positions, for edits. */
import { JsoncFault, type JsoncMember, type JsoncNode, type JsoncObject } from './jsonc.ts';
import { expectTomlSign, readTomlKeys, readTomlValue, skipToml, type TomlCursor } from './toml-value.ts';

/** A header such as `[a.b]`, or a pair such as `c = 1` below it. The path of an element of `[[a]]` ends with its index. */
export interface TomlStatement {
  readonly kind: 'table' | 'pair';
  /** The full path from the root. */
  readonly path: readonly string[];
  readonly start: number;
  /** The offset after the last character, without a comment. */
  readonly end: number;
  /** The value of a pair. */
  readonly value?: JsoncNode;
}

export interface TomlDocument {
  readonly root: JsoncObject;
  readonly statements: readonly TomlStatement[];
}

/** Throws a `JsoncFault`. */
export const parseToml = (text: string): TomlDocument => new TomlReader(text).document();

/** What can still be added to a table: `implied` can get its own header, and `dotted` more dotted keys. */
type TableState = 'implied' | 'header' | 'dotted';
interface OpenTable {
  readonly kind: 'object';
  readonly members: JsoncMember[];
  readonly start: number;
  readonly end: number;
}

class TomlReader {
  readonly #cursor: TomlCursor;
  readonly #root: OpenTable = { kind: 'object', members: [], start: 0, end: 0 };
  /** The states of all tables except inline tables, which are closed. */
  readonly #states: Map<JsoncNode, TableState> = new Map([[this.#root, 'header']]);
  readonly #tables: Map<JsoncNode, OpenTable> = new Map([[this.#root, this.#root]]);
  /** The elements of each array of tables (`[[a]]`). */
  readonly #lists: Map<JsoncNode, JsoncNode[]> = new Map();
  readonly #statements: TomlStatement[] = [];
  #table: OpenTable = this.#root;
  #path: readonly string[] = [];

  constructor(text: string) {
    this.#cursor = { text, at: text.startsWith('\ufeff') ? 1 : 0 };
  }

  document(): TomlDocument {
    const cursor = this.#cursor;
    for (;;) {
      skipToml(cursor, { lines: true });
      if (cursor.at >= cursor.text.length) return { root: this.#root, statements: this.#statements };
      if (cursor.text[cursor.at] === '[') this.#readHeader();
      else this.#readPair();
      this.#endLine();
    }
  }

  #endLine(): void {
    skipToml(this.#cursor, { lines: false });
    if (!/^(?:$|#|\r?\n)/.test(this.#cursor.text.slice(this.#cursor.at, this.#cursor.at + 2)))
      throw new JsoncFault(this.#cursor.at, 'expected the end of the line');
  }

  #readHeader(): void {
    const cursor = this.#cursor;
    const start = cursor.at;
    const isElement = cursor.text.startsWith('[[', start);
    cursor.at += isElement ? 2 : 1;
    const keys = readTomlKeys(cursor);
    const close = isElement ? ']]' : ']';
    if (!cursor.text.startsWith(close, cursor.at)) throw new JsoncFault(cursor.at, `expected ${close}`);
    cursor.at += close.length;
    const [last = ''] = keys.slice(-1);
    const [parent, path] = this.#walk(keys.slice(0, -1), start);
    [this.#table, this.#path] = isElement
      ? this.#openElement(parent, [...path, last], start)
      : [this.#openTable(parent, last, start), [...path, last]];
    this.#statements.push({ kind: 'table', path: this.#path, start, end: cursor.at });
  }

  /** Follows the keys of a header. Creates missing tables, and enters the last element of each array of tables. */
  #walk(keys: readonly string[], at: number): [OpenTable, string[]] {
    let table = this.#root;
    const path: string[] = [];
    for (const key of keys) {
      path.push(key);
      const there = memberIn(table, key) ?? this.#add(table, key, { at, state: 'implied' });
      const list = this.#lists.get(there);
      if (list !== undefined) path.push(String(list.length - 1));
      table = this.#tables.get(list?.at(-1) ?? there) ?? throwTaken(at, key);
    }
    return [table, path];
  }

  #openTable(parent: OpenTable, key: string, at: number): OpenTable {
    const there = memberIn(parent, key);
    if (there === undefined) return this.#add(parent, key, { at, state: 'header' });
    const table = this.#tables.get(there);
    if (table === undefined || this.#states.get(there) !== 'implied') return throwTaken(at, key);
    this.#states.set(there, 'header');
    return table;
  }

  #openElement(parent: OpenTable, path: readonly string[], at: number): [OpenTable, readonly string[]] {
    const [key = ''] = path.slice(-1);
    const there = memberIn(parent, key);
    const list = there === undefined ? [] : (this.#lists.get(there) ?? throwTaken(at, key));
    const table = this.#create(at, 'header');
    list.push(table);
    if (there === undefined) {
      const node: JsoncNode = { kind: 'array', items: list, start: at, end: at };
      this.#lists.set(node, list);
      parent.members.push({ key, value: node, start: at, end: at });
    }
    return [table, [...path, String(list.length - 1)]];
  }

  #readPair(): void {
    const start = this.#cursor.at;
    const keys = readTomlKeys(this.#cursor);
    expectTomlSign(this.#cursor, '=');
    const value = readTomlValue(this.#cursor);
    let table = this.#table;
    for (const key of keys.slice(0, -1)) {
      const there = memberIn(table, key) ?? this.#add(table, key, { at: start, state: 'dotted' });
      table = (this.#states.get(there) === 'dotted' ? this.#tables.get(there) : undefined) ?? throwTaken(start, key);
    }
    const [key = ''] = keys.slice(-1);
    if (memberIn(table, key) !== undefined) throwTaken(start, key);
    table.members.push({ key, value, start, end: value.end });
    this.#statements.push({ kind: 'pair', path: [...this.#path, ...keys], start, end: value.end, value });
  }

  #add(parent: OpenTable, key: string, { at, state }: { readonly at: number; readonly state: TableState }): OpenTable {
    const table = this.#create(at, state);
    parent.members.push({ key, value: table, start: at, end: at });
    return table;
  }

  #create(at: number, state: TableState): OpenTable {
    const table: OpenTable = { kind: 'object', members: [], start: at, end: at };
    this.#states.set(table, state);
    this.#tables.set(table, table);
    return table;
  }
}

const memberIn = ({ members }: OpenTable, key: string): JsoncNode | undefined =>
  members.find((member) => member.key === key)?.value;

function throwTaken(at: number, key: string): never {
  throw new JsoncFault(at, `${JSON.stringify(key)} is there already`);
}
