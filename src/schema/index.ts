/** Checking values against declared and foreign schemas. No MCP in it. */
export {
  type About,
  type Checked,
  type Checker,
  checker,
  type ForeignOptions,
  foreignChecker,
  objectSchema,
} from './check.ts';
export { describe, type Issue } from './issues.ts';
export type {
  InferInput,
  InferOutput,
  JsonSchema,
  Schema,
  StandardSchema,
} from './standard.ts';
