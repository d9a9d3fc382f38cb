/**
 * Transcripts: conversations as text, with `> ` before each message of the client, `< ` before those of the server, and `# ` before a
 * comment. A string `"$name"` on the checked side matches and captures any value; on the played side, it is replaced by the captured
 * value, if any. `"$_"` matches any value.
 */

import { isObject } from '../jsonrpc/message.ts';
import { checkMethod } from '../model/check-argument.ts';

/** One line: a message or a comment. */
export interface TranscriptLine {
  /** Counted from 1. */
  readonly number: number;
  readonly side: '>' | '<' | '#';
  /** A message, or a batch of several in an array; for a comment or an empty line, its text. */
  readonly content: unknown;
}
/** A conversation, line by line. */
export type Transcript = readonly TranscriptLine[];

/** Parses a transcript. Throws for a line that is not valid. */
export function parseTranscript(text: string): Transcript {
  checkMethod(text, 'split', 'parseTranscript(text)', 'the text of a transcript');
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index) => parseLine(line, index + 1));
}

function parseLine(line: string, number: number): TranscriptLine {
  const side = line[0];
  if (line.trim() === '' || side === '#') return { number, side: '#', content: line };
  if (side !== '>' && side !== '<') throw new Error(`Transcript line ${number} begins with none of > < #: ${line}`);
  try {
    return { number, side, content: JSON.parse(line.slice(1)) };
  } catch (cause) {
    throw new Error(`Transcript line ${number} is not JSON: ${line}`, { cause });
  }
}

export const writeTranscript = (lines: readonly Omit<TranscriptLine, 'number'>[]): string =>
  lines.map(({ side, content }) => `${side === '#' ? content : `${side} ${JSON.stringify(content)}`}\n`).join('');

/** Captured values by the names in a transcript. */
export type Captured = Map<string, unknown>;

const placeholderName = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\$[A-Za-z_]\w*$/.test(value) ? value : undefined;

/** The path of the first difference between two messages; undefined if they match. Names in `expected` capture values. */
export function findDifference(expected: unknown, actual: unknown, captured: Captured, at = ''): string | undefined {
  const name = placeholderName(expected);
  if (name !== undefined) {
    if (actual === undefined) return at;
    if (name === '$_') return undefined;
    if (captured.has(name)) return findDifference(captured.get(name), actual, new Map(), at);
    captured.set(name, actual);
    return undefined;
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return `${at}.length`;
  } else if (!isObject(expected) || !isObject(actual)) return Object.is(expected, actual) ? undefined : at;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const found = findDifference(
      member(expected, key),
      member(actual, key),
      captured,
      at === '' ? key : `${at}.${key}`,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

const member = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined; // an array is indexed by strings too

/** Replaces the names in a message by the captured values. */
export function fillIn(value: unknown, captured: Captured): unknown {
  const name = placeholderName(value);
  if (name !== undefined) return captured.has(name) ? captured.get(name) : name;
  if (Array.isArray(value)) return value.map((one) => fillIn(one, captured));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillIn(one, captured)]));
}

/** Replaces values of a message by the names that the transcript has in the same places, and captures them. */
export function restoreNames(actual: unknown, before: unknown, captured: Captured): unknown {
  const name = placeholderName(before);
  if (name !== undefined && actual !== undefined) {
    captured.set(name, actual);
    return name;
  }
  if (Array.isArray(actual)) {
    return actual.map((one, i) => restoreNames(one, Array.isArray(before) ? before[i] : undefined, captured));
  }
  if (!isObject(actual)) return actual;
  return Object.fromEntries(
    Object.entries(actual).map(([key, one]) => [
      key,
      restoreNames(one, isObject(before) ? member(before, key) : undefined, captured),
    ]),
  );
}

/** Thrown if a message differs from the transcript. Test runners show `expected` and `actual` as a diff. */
export class TranscriptMismatch extends Error {
  override readonly name = 'TranscriptMismatch';
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(what: string, { expected, actual }: { readonly expected?: unknown; readonly actual?: unknown }) {
    const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
    super(`${what}\n  expected: ${show(expected)}\n  actual:   ${show(actual)}`);
    this.expected = expected;
    this.actual = actual;
  }
}
