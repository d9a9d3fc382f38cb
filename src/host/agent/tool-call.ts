/** Runs one call that a model asked for, and returns what the model reads of it. */
import type { Progress, RequestOptions } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Content } from '../../model/content.ts';
import { printable } from '../../model/printable.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { Verdict } from '../act/rule.ts';
import type { ModelBlock } from '../models/model.ts';
import { fenceText } from '../text/fence-text.ts';
import type { AgentEvent } from './events.ts';
import type { ModelTools } from './model-tools.ts';

type ToolUse = Extract<ModelBlock, { type: 'tool_use' }>;
type Result = Extract<ModelBlock, { type: 'tool_result' }>;

const MAX_FAILURE = 300;

/** What a tool returned, and the id of the act. */
export interface AgentCallResult {
  readonly content: readonly Content[];
  readonly text: string;
  readonly isError: boolean;
  readonly act: string;
}

export interface AgentCallOptions extends RequestOptions {
  /** Gets what the rules say, before the user is asked and before anything is sent. */
  readonly onVerdict: (verdict: Verdict) => Promise<void>;
}

export interface ToolCallOptions {
  readonly signal: AbortSignal;
  readonly tools: ModelTools;
  call(name: string, args: JsonObject, options: AgentCallOptions): Promise<AgentCallResult>;
  emit(event: AgentEvent): void;
}

/** Rejects only when the run was cancelled; any other failure becomes a result for the model. */
export async function runToolCall(use: ToolUse, options: ToolCallOptions): Promise<Result> {
  const { signal, tools, emit } = options;
  const { id, input } = use;
  let { name, server }: NamedTool = { name: use.name, server: '' };
  try {
    const intent = await tools.resolve(name, input, signal);
    if ('text' in intent) return hostResult(use, intent.text, emit);
    ({ name, server } = intent.tool);
    const { arguments: args } = intent;
    const onVerdict = async (verdict: Verdict): Promise<void> => {
      if (verdict === 'ask') emit({ type: 'approval', id, name, arguments: args });
      emit({ type: 'tool-start', id, name, arguments: args });
      // The application shows the call before the user is asked about it.
      if (verdict === 'ask') await nextTurn();
    };
    const onProgress = (progress: Progress): void => emit({ type: 'progress', id, name, ...progress });
    const { content, text, isError, act } = await options.call(name, args, { signal, onProgress, onVerdict });
    emit({ type: 'tool-result', id, name, text, isError, act });
    return resultOf(use, tools.show(name, content), isError);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof McpError && error.code === 'MCP_DENIED'))
      return failedResult(use, error, { name, server, emit });
    const why = String(error.details['why']);
    emit({ type: 'denied', id, name, why });
    const text = `This call was denied: ${why}. Respect that; do not try to reach the same by other means.`;
    return resultOf(use, [{ type: 'text', text }], true);
  }
}

interface NamedTool {
  name: string;
  server: string;
}

/** The host has the answer. */
function hostResult(use: ToolUse, text: string, emit: ToolCallOptions['emit']): Result {
  const { id, name, input } = use;
  emit({ type: 'tool-start', id, name, arguments: input });
  emit({ type: 'tool-result', id, name, text, isError: false });
  return resultOf(use, [{ type: 'text', text }], false);
}

/** Cut short, and fenced, because the text is the server's. */
function failedResult(
  use: ToolUse,
  error: unknown,
  { name, server, emit }: NamedTool & Pick<ToolCallOptions, 'emit'>,
): Result {
  const message = error instanceof RpcError || error instanceof McpError ? error.message : 'unknown error';
  const text = printable(message).slice(0, MAX_FAILURE);
  const code = error instanceof RpcError ? ` (error ${error.code})` : '';
  emit({ type: 'tool-result', id: use.id, name, text, isError: true });
  const failure = `The call failed${code}: ${server === '' ? text : fenceText(server, text)}`;
  return resultOf(use, [{ type: 'text', text: failure }], true);
}

const resultOf = ({ id }: ToolUse, content: readonly ModelBlock[], isError: boolean): Result =>
  isError ? { type: 'tool_result', toolUseId: id, content, isError } : { type: 'tool_result', toolUseId: id, content };
