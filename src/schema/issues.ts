/** What a check finds, and how to say it in one line. */
import { McpError, messageOf } from '../errors.ts';
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

/** All issues in one bounded line: `items[0].price: expected number, received string; …`. */
export function describe(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (issues.length > MAX_ISSUES) lines.push(`and ${issues.length - MAX_ISSUES} more`);
  const line = lines.join('; ').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

// Errors that a schema causes: reading and proving word them alike.

export const unsupported = (what: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_SCHEMA_UNSUPPORTED', { what, why }, { cause });

/** The same, with the place in the schema as a JSON Pointer. */
export function unsupportedAt(what: string, at: string, why: string): McpError {
  const where = at.slice(0, 200).replace(/\p{Cc}/gu, ' ');
  return unsupported(what, at === '' ? why : `at #${where}: ${why}`);
}

export const tooCostly = (what: string, why: string): McpError => new McpError('MCP_SCHEMA_TOO_COSTLY', { what, why });

/** Whatever goes wrong while a schema is read, such as a stack that is too small, is the schema's fault. */
export function blamingSchema<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof McpError) throw cause;
    throw unsupported(what, cause instanceof RangeError ? 'it is nested too deeply' : messageOf(cause), cause);
  }
}

/** A foreign value in an error text: short, and on one line. */
export function quoteValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
