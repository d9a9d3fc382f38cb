/** Checking values against declared and foreign schemas. No MCP in it. */
export {
  type About,
  type Checked,
  type Checker,
  checker,
  describe,
  type ForeignOptions,
  foreignChecker,
  type Issue,
  objectSchema,
} from './check.ts';
export type {
  InferInput,
  InferOutput,
  JsonSchema,
  Schema,
  StandardSchema,
} from './standard.ts';
