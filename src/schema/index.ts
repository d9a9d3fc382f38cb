/** Checks values against the schemas of authors and of peers. Knows nothing of MCP. */

export { checker, objectSchema, type SchemaLabel } from './check.ts';
export { foreignChecker } from './foreign.ts';
export { type Checked, type Checker, describe, firstIssues, type Issue } from './issues.ts';
export { withoutDefaultDialect } from './keywords.ts';
export { longestTextFor } from './pattern-cost.ts';
export { acceptsText } from './references.ts';
export type {
  InferInput,
  InferOutput,
  JsonSchema,
  ObjectSchema,
  Schema,
  SingleSchema,
  StandardSchema,
} from './standard.ts';
