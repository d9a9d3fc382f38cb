/** Describes the differences between two definitions, for a user who reviews the second one. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { escapeUnprintable } from '../text/invisible.ts';

const MAX_LINES = 20;
const MAX_VALUE = 300;
/** Characters of common text that are shown before the first difference. */
const CONTEXT = 40;
/** Deeper values are compared as a whole. */
const MAX_DEPTH = 64;

/** One line per difference: `its inputSchema.required has "all" now`. */
export function diffDefinitions(before: JsonObject, after: JsonObject): readonly string[] {
  const lines = [...differences({ before, after, path: '', depth: 0 })].map(escapeUnprintable);
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `${more} more of its members differ`] : lines;
}

interface ValuePair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: string;
  readonly depth: number;
}

function* differences(pair: ValuePair): Generator<string> {
  const { before, after, path, depth } = pair;
  if (isObject(before) && isObject(after) && depth < MAX_DEPTH) yield* memberDifferences(before, after, pair);
  else if (Array.isArray(before) && Array.isArray(after)) yield* elementDifferences(before, after, path);
  else if (canonicalJson(before) !== canonicalJson(after))
    yield `its ${path} changed from ${excerpt(before, after)} to ${excerpt(after, before)}`;
}

function* memberDifferences(before: JsonObject, after: JsonObject, { path, depth }: ValuePair): Generator<string> {
  // Maps, because the server chooses the names, and `__proto__` can be one.
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  for (const [name, value] of was) {
    const at = memberPath(path, name);
    if (is.has(name)) yield* differences({ before: value, after: is.get(name), path: at, depth: depth + 1 });
    else yield `its ${at} was removed: ${excerpt(value)}`;
  }
  for (const [name, value] of is)
    if (!was.has(name)) yield `its ${memberPath(path, name)} was added: ${excerpt(value)}`;
}

/** Compares lists such as `enum`, `required` and arguments as sets. Reports a changed order only if they have the same elements. */
function* elementDifferences(before: readonly unknown[], after: readonly unknown[], path: string): Generator<string> {
  const [was, is] = [before, after].map((list) => new Map(list.map((one) => [canonicalJson(one), one]))) as [
    Map<string, unknown>,
    Map<string, unknown>,
  ];
  const [gone, added] = [missingFrom(is, was), missingFrom(was, is)];
  for (const value of gone) yield `its ${path} no longer has ${excerpt(value)}`;
  for (const value of added) yield `its ${path} has ${excerpt(value)} now`;
  if (gone.length + added.length === 0 && canonicalJson(before) !== canonicalJson(after))
    yield `its ${path} is in another order`;
}

const missingFrom = (some: ReadonlyMap<string, unknown>, all: ReadonlyMap<string, unknown>): readonly unknown[] =>
  [...all].flatMap(([text, value]) => (some.has(text) ? [] : [value]));

const memberPath = (path: string, name: string): string => {
  if (!/^[\w$-]{1,100}$/.test(name)) return `${path}[${cut(JSON.stringify(name))}]`;
  return path === '' ? name : `${path}.${name}`;
};

/** A value as JSON. A text that differs from the other one starts shortly before the first difference. */
function excerpt(value: unknown, other?: unknown): string {
  const text = JSON.stringify(value);
  if (typeof value !== 'string' || typeof other !== 'string') return cut(text);
  let same = 0;
  while (same < value.length && value[same] === other[same]) same++;
  const from = Math.max(0, same - CONTEXT);
  return from === 0 ? cut(text) : `…${cut(JSON.stringify(value.slice(from)))}`;
}

const cut = (text: string): string =>
  text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}… (${text.length} characters)`;
