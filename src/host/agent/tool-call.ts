/** One call that a model wants, and what it is told of it. */
import type { Progress, RequestOptions } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Content } from '../../model/content.ts';
import { printable } from '../../model/printable.ts';
import type { ModelBlock } from '../models/model.ts';
import { fenceText } from '../text/fence-text.ts';
import type { AgentEvent } from './events.ts';
import type { TurnTools } from './toolbox.ts';

type ToolUse = Extract<ModelBlock, { type: 'tool_use' }>;
type Result = Extract<ModelBlock, { type: 'tool_result' }>;

const MAX_FAILURE = 300;

/** What a tool returned, and the act that it was. */
export interface AgentCallResult {
  readonly content: readonly Content[];
  readonly text: string;
  readonly isError: boolean;
  readonly act: string;
}

export interface ToolCallOptions {
  readonly signal: AbortSignal;
  readonly offer: TurnTools;
  call(name: string, args: JsonObject, options: RequestOptions): Promise<AgentCallResult>;
  /** Whether the rules want somebody to be asked. */
  asks(name: string, args: JsonObject, signal: AbortSignal): Promise<boolean>;
  emit(event: AgentEvent): void;
}

/** Rejects only when the run was called off: whatever else goes wrong, the model is told. */
export async function runToolCall(use: ToolUse, options: ToolCallOptions): Promise<Result> {
  const { signal, offer, emit } = options;
  const { id, input } = use;
  let { name, server }: NamedTool = { name: use.name, server: '' };
  try {
    const wanted = await offer.want(name, input);
    if ('text' in wanted) return answered(use, wanted.text, emit);
    ({ name, server } = wanted);
    if (await options.asks(name, wanted.arguments, signal))
      emit({ type: 'approval', id, name, arguments: wanted.arguments });
    emit({ type: 'tool-start', id, name, arguments: wanted.arguments });
    const onProgress = (progress: Progress): void => emit({ type: 'progress', id, name, ...progress });
    const { content, text, isError, act } = await options.call(name, wanted.arguments, { signal, onProgress });
    emit({ type: 'tool-result', id, name, text, isError, act });
    return resultOf(use, offer.show(name, content), isError);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof McpError && error.code === 'MCP_DENIED')) return failed(use, error, { name, server, emit });
    const why = String(error.details['why']);
    emit({ type: 'denied', id, name, why });
    const text = `This call was refused: ${why}. Respect that; do not try to reach the same by other means.`;
    return resultOf(use, [{ type: 'text', text }], true);
  }
}

interface NamedTool {
  name: string;
  server: string;
}

/** The host has answered by itself. */
function answered(use: ToolUse, text: string, emit: ToolCallOptions['emit']): Result {
  const { id, name, input } = use;
  emit({ type: 'tool-start', id, name, arguments: input });
  emit({ type: 'tool-result', id, name, text, isError: false });
  return resultOf(use, [{ type: 'text', text }], false);
}

/** Errors of the protocol help a model little; in short, and in a fence, as their words are the server's. */
function failed(
  use: ToolUse,
  error: unknown,
  { name, server, emit }: NamedTool & Pick<ToolCallOptions, 'emit'>,
): Result {
  const said = error instanceof RpcError || error instanceof McpError ? error.message : 'nobody knows why';
  const text = printable(said).slice(0, MAX_FAILURE);
  const code = error instanceof RpcError ? ` (error ${error.code})` : '';
  emit({ type: 'tool-result', id: use.id, name, text, isError: true });
  const told = `The call failed${code}: ${server === '' ? text : fenceText(server, text)}`;
  return resultOf(use, [{ type: 'text', text: told }], true);
}

const resultOf = ({ id }: ToolUse, content: readonly ModelBlock[], isError: boolean): Result =>
  isError ? { type: 'tool_result', toolUseId: id, content, isError } : { type: 'tool_result', toolUseId: id, content };
