/** What a check finds, and how to say it in one line. */
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
  /** The schema as JSON Schema, as it is published. */
  readonly jsonSchema: JsonObject;
  /**
   * Proves that no check can take too long, where that is still to be done; else rejects with `McpError`. `check` waits for it
   * too. Absent where a library checks its own schema.
   */
  prepare?(): Promise<void>;
  /** A promise only where the schema itself is asynchronous, or its validator has still to be loaded. */
  check(value: unknown): Checked | Promise<Checked>;
}

/** What is wrong with a value; `undefined` if nothing is. */
export type Validate = (value: unknown) => readonly Issue[] | undefined;

const MAX_ISSUES = 20;
const MAX_LINE = 1_000;

/** `items[0].price` from the keys on the way. */
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

/** The same from a JSON Pointer. */
export function pathOfPointer(pointer: string): string {
  const [, ...tokens] = pointer.split('/');
  return pathOf(tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')));
}

/** The first of them, each bounded: an error about a large message must not be larger than the message. */
export const firstIssues = (issues: readonly Issue[]): readonly Issue[] =>
  issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: path.slice(0, MAX_LINE), message: message.slice(0, MAX_LINE) }));

/** All issues in one bounded line: `items[0].price: expected number, received string; …`. */
export function describe(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (issues.length > MAX_ISSUES) lines.push(`and ${issues.length - MAX_ISSUES} more`);
  const line = lines.join('; ').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
