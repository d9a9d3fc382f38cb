/** Tools and their results, in the newest revision's words. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Content, Meta } from './content.ts';
import type { Icon } from './icon.ts';

/** Hints of the server about itself. Untrusted unless the server is. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}
export interface ToolExecution {
  readonly taskSupport?: 'forbidden' | 'optional' | 'required';
}
/** A tool, as a server lists it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly execution?: ToolExecution;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}
export interface CallToolParams {
  readonly name: string;
  readonly arguments?: JsonObject;
}
export interface CallToolResult {
  readonly content: readonly Content[];
  /** Any JSON value, null included: test for it with `in`. */
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}
