/** The result of a check, and its issues as text. */
import type { JsonObject } from '../jsonrpc/message.ts';

export interface Issue {
  /** Like `items[0].price`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}
export type Checked<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export interface Checker {
  /** The schema as published: JSON Schema. */
  readonly jsonSchema: JsonObject;
  /**
   * Proves that no check can take too long, or rejects with `McpError`. `check` awaits the proof too. Absent if a library checks its
   * own schema.
   */
  prepare?(): Promise<void>;
  /** Returns a promise only if the schema is asynchronous, or its validator is not loaded yet. */
  check(value: unknown): Checked | Promise<Checked>;
}

/** Returns the issues of a value; `undefined` if it is valid. */
export type Validate = (value: unknown) => readonly Issue[] | undefined;

const MAX_ISSUES = 20;
const MAX_LINE = 1_000;

/** Formats keys as a path: `items[0].price`. */
export function pathOf(keys: readonly PropertyKey[]): string {
  let path = '';
  for (const key of keys) {
    const text = String(key);
    if (/^\d+$/.test(text)) path += `[${text}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(text)) path += path === '' ? text : `.${text}`;
    else path += `[${JSON.stringify(text)}]`;
  }
  return path;
}

/** The keys of a JSON Pointer, unescaped. */
export function keysOfPointer(pointer: string): string[] {
  const [, ...tokens] = pointer.split('/');
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Formats a JSON Pointer as such a path. */
export const pathOfPointer = (pointer: string): string => pathOf(keysOfPointer(pointer));

/** The first issues, each truncated: an error about a large message must not be larger than the message. */
export const firstIssues = (issues: readonly Issue[]): readonly Issue[] =>
  issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: path.slice(0, MAX_LINE), message: message.slice(0, MAX_LINE) }));

/** Formats issues as one truncated line: `items[0].price: expected number, received string; …`. */
export function describe(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (issues.length > MAX_ISSUES) lines.push(`and ${issues.length - MAX_ISSUES} more`);
  const line = lines.join('; ').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
