/** Runs one tool call of the model and returns its `tool_result` block. */
import type { Progress } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { Verdict } from '../act/rule.ts';
import type { CatalogueTool } from '../catalogue/catalogue-tool.ts';
import type { ModelBlock } from '../models/model.ts';
import { fenceText } from '../text/fence-text.ts';
import type { AgentCallOptions, AgentCallResult, WorkingCall } from './agent-call.ts';
import type { AgentEvent } from './events.ts';
import type { ModelTools } from './model-tools.ts';

export type ToolUse = Extract<ModelBlock, { type: 'tool_use' }>;
type Result = Extract<ModelBlock, { type: 'tool_result' }>;

const MAX_FAILURE = 300;

export interface ToolCallOptions {
  readonly signal: AbortSignal;
  readonly tools: ModelTools;
  call(name: string, args: JsonObject, options: AgentCallOptions): Promise<AgentCallResult | WorkingCall>;
  emit(event: AgentEvent): void;
}

/** Rejects only if the run is cancelled; any other failure becomes a result for the model. */
export async function runToolCall(use: ToolUse, options: ToolCallOptions): Promise<Result> {
  const { signal, tools, emit } = options;
  const { id, input } = use;
  let [name, server] = [use.name, ''];
  try {
    const intent = await tools.resolve(name, input, signal);
    if ('text' in intent) return hostResult(use, intent.text, emit);
    if ('read' in intent) {
      ({ server } = intent);
      return hostResult(use, await intent.read(), emit);
    }
    if ('wait' in intent) {
      ({ server } = intent);
      emit({ type: 'tool-start', id, name, arguments: input });
      return serverResult(use, await intent.wait(), { name, from: intent.from, tools, emit });
    }
    ({ name, server } = intent.tool);
    const { arguments: args } = intent;
    const onVerdict = async (verdict: Verdict): Promise<void> => {
      if (verdict === 'ask') emit({ type: 'approval', id, name, arguments: args });
      emit({ type: 'tool-start', id, name, arguments: args });
      // Lets the application render the event before the consent question opens.
      if (verdict === 'ask') await nextTurn();
    };
    const onProgress = (progress: Progress): void => emit({ type: 'progress', id, name, ...progress });
    const answer = await options.call(name, args, { signal, onProgress, onVerdict });
    return serverResult(use, answer, { name, from: name, tools, emit });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof McpError && error.code === 'MCP_DENIED'))
      return failedResult(use, error, { name, server, emit });
    const { details } = error;
    const why = String(details['why']);
    emit({ type: 'denied', id, name, why, rule: String(details['rule']), act: String(details['id']) });
    const text = `This call was denied: ${why}. Respect that; do not try to reach the same by other means.`;
    return resultOf(use, [{ type: 'text', text }], true);
  }
}

interface ServerResultOptions extends Pick<ToolCallOptions, 'tools' | 'emit'> {
  /** The tool that the model called, for events. */
  readonly name: string;
  /** The server's tool that returned the content. Differs from `name` for `wait_for_task`. */
  readonly from: string;
}

function serverResult(
  use: ToolUse,
  answer: AgentCallResult | WorkingCall,
  { name, from, tools, emit }: ServerResultOptions,
): Result {
  const { id } = use;
  const { act } = answer;
  if ('working' in answer) {
    emit({ type: 'tool-result', id, name, text: answer.working, isError: false, act });
    return resultOf(use, [{ type: 'text', text: answer.working }], false);
  }
  const { content, text, isError } = answer;
  emit({ type: 'tool-result', id, name, text, isError, act });
  return resultOf(use, tools.show(from, content), isError);
}

function hostResult(use: ToolUse, text: string, emit: ToolCallOptions['emit']): Result {
  const { id, name, input } = use;
  emit({ type: 'tool-start', id, name, arguments: input });
  emit({ type: 'tool-result', id, name, text, isError: false });
  return resultOf(use, [{ type: 'text', text }], false);
}

/** Truncates and fences the error message, because the server wrote it. */
function failedResult(
  use: ToolUse,
  error: unknown,
  { name, server, emit }: Pick<ToolCallOptions, 'emit'> & Pick<CatalogueTool, 'name' | 'server'>,
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
