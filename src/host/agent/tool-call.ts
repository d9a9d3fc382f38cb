/** Runs one tool call of the model and returns its `tool_result` block. */
import { McpError, RpcError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { untilAborted } from '../../peer/wait.ts';
import type { Verdict } from '../act/rule.ts';
import type { ModelBlock } from '../models/model.ts';
import { fenceText } from '../text/fence-text.ts';
import type { AgentCallOptions, AgentCallResult, ToolUse, WorkingCall } from './agent-call.ts';
import type { AgentEvent } from './events.ts';
import type { ModelTools } from './model-tools.ts';
import { ToolCallEvents } from './tool-call-events.ts';

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
  const { name, input } = use;
  const events = new ToolCallEvents(use, emit);
  const onAbort = (): void => events.onAbort();
  signal.addEventListener('abort', onAbort);
  let server = '';
  try {
    const intent = await untilAborted(tools.resolve(name, input, signal), signal);
    if ('text' in intent) return hostResult(use, intent.text, events);
    if ('read' in intent) {
      ({ server } = intent);
      events.start();
      return hostResult(use, await intent.read(), events);
    }
    if ('wait' in intent) {
      ({ server } = intent);
      events.start();
      return serverResult(use, await intent.wait(), { from: intent.from, tools, events });
    }
    const { tool, arguments: args } = intent;
    ({ server } = tool);
    events.setTool(tool.name, args);
    const onVerdict = async (verdict: Verdict): Promise<void> => {
      events.onVerdict(verdict);
      // Lets the application render the event before the consent question opens.
      if (verdict === 'ask') await nextTurn();
    };
    const answer = await options.call(tool.name, args, {
      signal,
      onProgress: (progress) => events.onProgress(progress),
      onVerdict,
    });
    return serverResult(use, answer, { from: tool.name, tools, events });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof McpError && error.code === 'MCP_DENIED'))
      return failedResult(use, error, { server, events });
    const { details } = error;
    const why = String(details['why']);
    events.onDenied({ why, rule: String(details['rule']), act: String(details['id']) });
    const text = `This call was denied: ${why}. Respect that; do not try to reach the same by other means.`;
    return resultOf(use, [{ type: 'text', text }], true);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface ServerResultOptions extends Pick<ToolCallOptions, 'tools'> {
  /** The server's tool that returned the content. Differs from the called tool for `wait_for_task`. */
  readonly from: string;
  readonly events: ToolCallEvents;
}

function serverResult(
  use: ToolUse,
  answer: AgentCallResult | WorkingCall,
  { from, tools, events }: ServerResultOptions,
): Result {
  const { act } = answer;
  if ('working' in answer) {
    events.onResult(answer.working, false, act);
    return resultOf(use, [{ type: 'text', text: answer.working }], false);
  }
  const { content, text, isError } = answer;
  events.onResult(text, isError, act);
  return resultOf(use, tools.show(from, content), isError);
}

function hostResult(use: ToolUse, text: string, events: ToolCallEvents): Result {
  events.onResult(text, false);
  return resultOf(use, [{ type: 'text', text }], false);
}

interface FailedResultOptions {
  /** The label of the server, or empty if no server was called. */
  readonly server: string;
  readonly events: ToolCallEvents;
}

/** Truncates and fences the error message, because the server wrote it. */
function failedResult(use: ToolUse, error: unknown, { server, events }: FailedResultOptions): Result {
  const text = printable(failureText(error, server)).slice(0, MAX_FAILURE);
  const code = error instanceof RpcError ? ` (error ${error.code})` : '';
  events.onResult(text, true);
  const failure = `The call failed${code}: ${server === '' ? text : fenceText(server, text)}`;
  return resultOf(use, [{ type: 'text', text: failure }], true);
}

/** Names the server whose connection was lost, and the reason. The model does not read the stderr of the process. */
function failureText(error: unknown, server: string): string {
  if (!(error instanceof RpcError || error instanceof McpError)) return 'unknown error';
  if (error instanceof RpcError || error.code !== 'MCP_OUTCOME_UNKNOWN') return error.message;
  const { how, why = how }: Partial<Record<string, string | number>> =
    error.cause instanceof McpError ? error.cause.details : {};
  const reason = why === undefined ? '' : ` (${why})`;
  return `The connection to the server "${server}" was lost${reason}. Check whether the call took effect before you repeat it`;
}

const resultOf = ({ id }: ToolUse, content: readonly ModelBlock[], isError: boolean): Result =>
  isError ? { type: 'tool_result', toolUseId: id, content, isError } : { type: 'tool_result', toolUseId: id, content };
