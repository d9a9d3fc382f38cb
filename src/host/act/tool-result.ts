/** What a tool of a host returned. */
import type { AttemptResult } from '../../client/index.ts';

/** What a tool answered, and under which id: `host.explain(act)` says who allowed it. */
export interface ToolResult extends AttemptResult {
  readonly act: string;
}
