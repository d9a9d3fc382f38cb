/** One call that a model wants, and what it is told of it. */
import { McpError, RpcError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Content } from '../../model/content.ts';
import { printable } from '../../model/printable.ts';
import type { ModelBlock } from '../model.ts';
import type { AgentEvent } from './events.ts';
import type { AgentTool } from './toolbox.ts';
import { resultBlocks } from './untrusted.ts';

type Use = Extract<ModelBlock, { type: 'tool_use' }>;
type Result = Extract<ModelBlock, { type: 'tool_result' }>;

const MAX_FAILURE = 300;

/** What a tool returned, and the act that it was. */
export interface Called {
  readonly content: readonly Content[];
  readonly text: string;
  readonly isError: boolean;
  readonly act: string;
}

export interface CallingOptions {
  readonly signal: AbortSignal;
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<Called>;
  /** Whether the rules want somebody to be asked. */
  asks(name: string, args: JsonObject, signal: AbortSignal): Promise<boolean>;
  emit(event: AgentEvent): void;
}

/** Rejects only when the run was called off: whatever else goes wrong, the model is told. */
export async function called(use: Use, tool: AgentTool | undefined, options: CallingOptions): Promise<Result> {
  if (tool === undefined) return failed(use, `There is no tool called ${use.name}`, { name: use.name, ...options });
  const { signal, emit } = options;
  const { name } = tool;
  const { id, input } = use;
  try {
    if (await options.asks(name, input, signal)) emit({ type: 'approval', id, name, arguments: input });
    emit({ type: 'tool-start', id, name, arguments: input });
    const { content, text, isError, act } = await options.call(name, input, signal);
    emit({ type: 'tool-result', id, name, text, isError, act });
    const told = { type: 'tool_result', toolUseId: id, content: resultBlocks(tool.server, content, text) } as const;
    return isError ? { ...told, isError } : told;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof McpError && error.code === 'MCP_DENIED') return denied(use, error, { name, emit });
    return failed(use, whyOf(error), { name, emit });
  }
}

interface Telling {
  readonly name: string;
  emit(event: AgentEvent): void;
}

function denied({ id }: Use, { details }: McpError, { name, emit }: Telling): Result {
  const why = String(details['why']);
  emit({ type: 'denied', id, name, why });
  const text = `This call was refused: ${why}. Respect that; do not try to reach the same by other means.`;
  return { type: 'tool_result', toolUseId: id, content: [{ type: 'text', text }], isError: true };
}

function failed({ id }: Use, why: string, { name, emit }: Telling): Result {
  const text = printable(why).slice(0, MAX_FAILURE);
  emit({ type: 'tool-result', id, name, text, isError: true });
  return { type: 'tool_result', toolUseId: id, content: [{ type: 'text', text }], isError: true };
}

/** Errors of the protocol help a model little; in short. */
function whyOf(error: unknown): string {
  if (error instanceof RpcError) return `The call failed: error ${error.code}, ${error.message}`;
  return error instanceof McpError ? `The call failed: ${error.message}` : 'The call failed';
}
