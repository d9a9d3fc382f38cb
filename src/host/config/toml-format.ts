/** Edits one member of a TOML text without changing any other byte. */
import { JsoncFault, type JsoncNode } from '../../files/jsonc.ts';
import { nodeAt, plainValue } from '../../files/jsonc-tree.ts';
import { lineEndAt, lineSpan, lineStartAt, newlineOf, splice, type TextSpan } from '../../files/text-span.ts';
import { parseToml, type TomlStatement } from '../../files/toml.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { ConfigFormat } from './config-format.ts';
import { escapeText, inlineText, isEqualValue, withMember } from './text-edit.ts';

export const tomlFormat: ConfigFormat = {
  parse: (text) => parseToml(text).root,
  setAt: setInToml,
  removeAt: removeFromToml,
  empty: '',
};

function setInToml(text: string, path: readonly string[], value: unknown): string {
  const { root, statements } = parseToml(text);
  const there = nodeAt(root, path);
  if (there !== undefined && isEqualValue(plainValue(there), value)) return text;
  const pair = pairAt(statements, path);
  if (pair !== undefined && pair.path.length < path.length && nodeAt(root, pair.path)?.kind !== 'object')
    throw new JsoncFault(pair.start, `expected a table at "${pair.path.join('.')}"; correct it by hand first`);
  if (pair !== undefined) return changePair(text, pair, { root, path, value });
  if (there !== undefined && isObject(value) && there.kind === 'object') {
    const removed = there.members.map(({ key }) => key).filter((key) => !Object.hasOwn(value, key));
    const rest = removed.reduce((now, key) => removeFromToml(now, [...path, key]), text);
    return Object.entries(value).reduce((now, [key, one]) => setInToml(now, [...path, key], one), rest);
  }
  if (there !== undefined) return setInToml(removeFromToml(text, path), path, value);
  const last = lastPairOf(statements, path.slice(0, -1));
  if (last !== undefined) return insertLine(text, last, `${keyText(path.at(-1) ?? '')} = ${valueText(value)}`);
  if (!isObject(value))
    throw new JsoncFault(0, `there is no table [${path.slice(0, -1).map(keyText).join('.')}] to add to`);
  return appendTable(text, path, value);
}

function removeFromToml(text: string, path: readonly string[]): string {
  const { root, statements } = parseToml(text);
  const pair = pairAt(statements, path);
  if (pair !== undefined && pair.path.length < path.length)
    return changePair(text, pair, { root, path, value: undefined });
  let table: readonly string[] = [];
  const spans = statements.flatMap((one, at) => {
    if (one.kind === 'table') table = one.path;
    // Removing a table already removes its pairs.
    const goesAlone = one.kind === 'table' || !isWithin(table, path);
    return isWithin(one.path, path) && goesAlone ? [spanOf(text, statements, at)] : [];
  });
  return spans.reduceRight((now, span) => splice(now, span, ''), text);
}

type Pair = TomlStatement & { readonly value: NonNullable<TomlStatement['value']> };

/** The pair at this path, or the pair whose inline table contains it. */
const pairAt = (statements: readonly TomlStatement[], path: readonly string[]): Pair | undefined =>
  statements.find((one): one is Pair => one.value !== undefined && isWithin(path, one.path));

const isWithin = (path: readonly string[], outer: readonly string[]): boolean =>
  outer.every((key, at) => path[at] === key);

interface PairChange {
  readonly root: JsoncNode;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Replaces the value of a pair, or a member of its inline table. */
function changePair(text: string, pair: Pair, { root, path, value }: PairChange): string {
  const there = nodeAt(root, pair.path);
  const before = there && plainValue(there);
  return splice(text, pair.value, valueText(withMember(before, path.slice(pair.path.length), value)));
}

/** The last pair of a table, after which a new pair is inserted. Undefined for a table without pairs, which may have only subtables. */
function lastPairOf(statements: readonly TomlStatement[], path: readonly string[]): TomlStatement | undefined {
  const own = statements.findIndex(
    ({ kind, path: one }) => kind === 'table' && one.length === path.length && isWithin(one, path),
  );
  if (own === -1) return undefined;
  const next = statements.findIndex(({ kind }, at) => at > own && kind === 'table');
  return statements.slice(own + 1, next === -1 ? undefined : next).at(-1);
}

function insertLine(text: string, { end }: TomlStatement, line: string): string {
  const at = lineEndAt(text, end);
  return splice(text, { start: at, end: at }, `${newlineOf(text)}${line}`);
}

/** Appends a table after a blank line. Adds no final newline if the text has none. */
function appendTable(text: string, path: readonly string[], members: Readonly<Record<string, unknown>>): string {
  const newline = newlineOf(text);
  const pairs = Object.entries(members).map(([key, value]) => `${keyText(key)} = ${valueText(value)}`);
  const lines = [`[${path.map(keyText).join('.')}]`, ...pairs].join(newline);
  if (text === '') return `${lines}${newline}`;
  return text.endsWith('\n') ? `${text}${newline}${lines}${newline}` : `${text}${newline}${newline}${lines}`;
}

/** The span to delete: the line of a pair; of a table, its pairs and comments, and the blank line before it. */
function spanOf(text: string, statements: readonly TomlStatement[], at: number): TextSpan {
  const { kind, start, end } = statements[at] ?? { kind: 'pair', start: 0, end: 0 };
  if (kind === 'pair') return lineSpan(text, { start, end });
  const next = statements.findIndex((other, place) => place > at && other.kind === 'table');
  const last = statements[(next === -1 ? statements.length : next) - 1];
  const from = lineStartAt(text, start);
  const blank = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, from))?.[1] ?? '';
  return lineSpan(text, { start: from - blank.length, end: last?.end ?? end });
}

const keyText = (key: string): string => (/^[\w-]+$/.test(key) ? key : escapeText(key));

const valueText = (value: unknown): string => inlineText(value, (key) => `${keyText(key)} =`);
