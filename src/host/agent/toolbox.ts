/** The tools that a model is offered, and what their servers say of how to use them. */
import type { JsonObject } from '../../jsonrpc/message.ts';

export interface AgentTool {
  /** In the catalogue, as `session.call` takes it. */
  readonly name: string;
  /** As models may call it. */
  readonly alias: string;
  readonly server: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** What a server says of itself; believed by nobody. */
export interface Hint {
  readonly server: string;
  readonly instructions: string;
}

export interface Toolbox {
  open(signal: AbortSignal): Promise<{ readonly tools: readonly AgentTool[]; readonly hints: readonly Hint[] }>;
}
