/** Checking values against declared and foreign schemas. No MCP in it. */
export { acceptsText } from './accepts-text.ts';
export { checker, objectSchema, type SchemaLabel } from './check.ts';
export { withoutDefaultDialect } from './dialect.ts';
export { type ForeignOptions, foreignChecker } from './foreign.ts';
export { type Checked, type Checker, describe, type Issue } from './issues.ts';
export { longestTextFor } from './linear.ts';
export type { InferInput, InferOutput, JsonSchema, Schema, StandardSchema, Whole } from './standard.ts';
