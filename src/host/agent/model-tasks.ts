/** Runs the model's tool calls as tasks. After 20 s the model continues without the result, and fetches it with tools of the host. */
import { toProgress } from '../../client/index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { joinSignals } from '../../peer/wait.ts';
import type { ToolResult } from '../act/tool-result.ts';
import { argumentError } from '../catalogue/meta-tools.ts';
import type { ModelTool } from '../models/model.ts';
import type { HostTask, StartedTask } from '../tasks/host-task.ts';
import { fenceText } from '../text/fence-text.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { AgentCallOptions, AgentCallResult, AwaitedCall, AwaitedText, WorkingCall } from './agent-call.ts';
import type { HostTools } from './model-tools.ts';

/** How long the model waits for a task before it continues without the result. */
const WAIT_MS = 20_000;
/** Tasks that can run in the background. The next call blocks until its result arrives. */
const MAX_OPEN = 8;

const WAIT_FOR_TASK = 'wait_for_task';
const CANCEL_TASK = 'cancel_task';

const inputSchema: JsonObject = {
  type: 'object',
  properties: { task: { type: 'string', description: 'The id that the call returned, such as task-1' } },
  required: ['task'],
};

const taskTools: readonly ModelTool[] = [
  {
    name: WAIT_FOR_TASK,
    description: `Waits up to ${WAIT_MS / 1_000} seconds for a call that runs as a task, and returns its result if it has one by then.`,
    inputSchema,
  },
  {
    name: CANCEL_TASK,
    description: 'Asks the server to stop a task whose result is not needed any more.',
    inputSchema,
  },
];

interface OpenTask extends StartedTask {
  readonly name: string;
  readonly server: string;
  /** The server's latest status message. */
  message: string | undefined;
}

export interface ModelTasksContext {
  readonly clock: Clock;
  /** Aborts when the session is closed. */
  readonly sessionSignal: AbortSignal;
  start(name: string, args: JsonObject, options: AgentCallOptions): Promise<StartedTask>;
}

export class ModelTasks implements HostTools {
  readonly #context: ModelTasksContext;
  /** Background tasks by the host's own ids, because a server's task ids are untrusted text. Removed once the model has the result. */
  readonly #open: Map<string, OpenTask> = new Map();
  #count = 0;

  constructor(context: ModelTasksContext) {
    this.#context = context;
  }

  get tools(): readonly ModelTool[] {
    return this.#open.size === 0 ? [] : taskTools;
  }

  /** Starts a task. Cancelling the run cancels it only until the model is told to continue; after that, the task outlives the run. */
  async call(name: string, args: JsonObject, options: AgentCallOptions): Promise<AgentCallResult | WorkingCall> {
    const started = await this.#context.start(name, args, options);
    const { task, act } = started;
    const open: OpenTask = { task, act, name, server: task.ticket?.server ?? '', message: undefined };
    void this.#watch(open, options).catch(() => undefined);
    if (task.ticket === undefined) return task.result();
    try {
      const result = await this.#wait(task, options.signal);
      if (result !== undefined) return result;
      if (this.#open.size >= MAX_OPEN) return await task.result({ signal: options.signal });
    } catch (error) {
      if (options.signal?.aborted === true) await task.cancel().catch(() => undefined);
      throw error;
    }
    this.#count++;
    const id = `task-${this.#count}`;
    this.#open.set(id, open);
    return toWorkingCall(id, open);
  }

  /** Handles the two task tools. The model reads the message of a thrown error. */
  async run(
    name: string,
    args: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<AwaitedText | AwaitedCall | undefined> {
    if (name !== WAIT_FOR_TASK && name !== CANCEL_TASK) return undefined;
    const id = String(args['task']);
    const open = this.#open.get(id);
    if (open === undefined) {
      const known = this.#open.size === 0 ? 'no task is running' : `known are ${[...this.#open.keys()].join(', ')}`;
      throw argumentError(name, `"task" must name a running task; ${known}`);
    }
    if (name === WAIT_FOR_TASK)
      return { from: open.name, server: open.server, wait: () => this.#waitFor(id, open, signal) };
    return { server: open.server, read: () => this.#cancel(id, open) };
  }

  async #cancel(id: string, { task }: OpenTask): Promise<string> {
    await task.cancel();
    this.#open.delete(id);
    return `The server was asked to stop ${id}.`;
  }

  async #waitFor(id: string, open: OpenTask, signal: AbortSignal | undefined): Promise<AgentCallResult | WorkingCall> {
    try {
      const result = await this.#wait(open.task, signal);
      if (result === undefined) return toWorkingCall(id, open);
      this.#open.delete(id);
      return result;
    } catch (error) {
      if (signal?.aborted !== true) this.#open.delete(id);
      throw error;
    }
  }

  /** Resolves with undefined after `WAIT_MS`; the caller can wait again. */
  async #wait(task: HostTask, signal: AbortSignal | undefined): Promise<ToolResult | undefined> {
    const late = new AbortController();
    const stop = this.#context.clock.after(WAIT_MS, () => late.abort());
    try {
      return await task.result({ signal: joinSignals(late.signal, signal) });
    } catch (error) {
      if (late.signal.aborted && signal?.aborted !== true) return undefined;
      throw error;
    } finally {
      stop();
    }
  }

  /** Reports state changes as progress of the call, until the run that started it ends. */
  async #watch(open: OpenTask, { signal, onProgress }: AgentCallOptions): Promise<void> {
    let count = 0;
    for await (const state of open.task.states({ signal: this.#context.sessionSignal })) {
      open.message = state.message;
      const progress = signal?.aborted === true ? undefined : toProgress(state, count);
      if (progress === undefined) continue;
      count++;
      onProgress?.(progress);
    }
  }
}

function toWorkingCall(id: string, { act, server, message }: OpenTask): WorkingCall {
  const text = `The call continues as ${id} and has no result yet. Go on with something else, wait for it with ${WAIT_FOR_TASK}, or stop it with ${CANCEL_TASK}.`;
  const said = message === undefined ? [] : [fenceText(server, escapeUnprintable(message))];
  return { act, working: [text, ...said].join('\n') };
}
