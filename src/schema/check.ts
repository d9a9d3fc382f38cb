/** Checking values: against what an author declared, and against what a peer sent. */
import { McpError } from '../errors.ts';
import type { JsonObject, Schema } from './standard.ts';

export interface Issue {
  /** Like `items[0].price`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}
export type Checked<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export interface Checker {
  /** The schema as JSON Schema, for publishing. */
  readonly jsonSchema: JsonObject;
  check(value: unknown): Checked | Promise<Checked>;
}

export interface About {
  /** Whose schema it is, for error texts: `the input of tool "refund"`. */
  readonly what: string;
  readonly side: 'input' | 'output';
}

export interface ForeignOptions {
  /** Told in words about each keyword that is left out because checking it could take too long. */
  readonly onWarning?: (warning: string) => void;
}

/** Checks against the author's own schema. Throws `McpError` at once when that schema cannot be used. */
export function checker(_schema: Schema, about: About): Checker {
  throw new McpError('MCP_SCHEMA_UNSUPPORTED', { what: about.what, why: 'not built yet' });
}

/** Checks against a peer's schema, of which nothing is trusted. Throws `McpError` at once when it is refused. */
export function foreignChecker(_schema: JsonObject, what: string, _options: ForeignOptions = {}): Checker {
  throw new McpError('MCP_SCHEMA_UNSUPPORTED', { what, why: 'not built yet' });
}

/** The schema with the root `type: 'object'` that tool inputs need. Throws when its root says another type. */
export function objectSchema(schema: JsonObject): JsonObject {
  return { type: 'object', ...schema };
}

/** All issues in one bounded line: `items[0].price: expected number, received string; …`. */
export function describe(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}
