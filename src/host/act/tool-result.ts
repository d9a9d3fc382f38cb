/** The result of a tool that a session called. */
import type { AttemptResult } from '../../client/index.ts';

/** The result of a tool, with the id of its act for `host.explain(act)`. */
export interface ToolResult extends AttemptResult {
  readonly act: string;
}
