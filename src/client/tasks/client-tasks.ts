/** Calls tools that the server may run as tasks. Loaded lazily, by clients with `tasks: true`. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import { joinSignals } from '../../peer/wait.ts';
import { checkResultType } from '../../revisions/decode.ts';
import type { TaskState } from '../../revisions/tasks/form.ts';
import { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { LiveConnection } from '../live-connection.ts';
import { type CallToolOptions, cancelledError, type Progress, type RequestOptions } from '../outgoing-call.ts';
import type { QuestionHandlers } from '../question-handlers.ts';
import type { Requests } from '../requests.ts';
import type { Rounds } from '../rounds.ts';
import { FollowedTask, type FollowedTaskParts, type ToolResults } from './followed-task.ts';
import { PlainTask } from './plain-task.ts';
import { asksForTask, readCreatedTask, requireForm } from './read-task.ts';
import type { ClientTask } from './task.ts';
import type { TaskFollower } from './task-follower.ts';
import { TaskListener } from './task-listener.ts';
import { toProgress } from './task-states.ts';
import { checkTicket, makeTicket, serverIdentity } from './ticket.ts';

export interface ClientTasksContext {
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly handlers: QuestionHandlers;
  readonly results: ToolResults;
  /** The URL or command of the server; undefined if the client was opened with a transport. */
  readonly origin: string | undefined;
  /** The server's current definition of the tool. */
  findTool(name: string): Promise<Tool | undefined>;
}

/** A call and the options of its request. */
interface ToolCall {
  readonly name: string;
  readonly params: JsonObject;
  readonly options: RequestOptions;
}

/** The params of a call, and whether they ask for a task. */
interface PreparedCall {
  readonly params: JsonObject;
  readonly asks: boolean;
}

const NO_TASKS =
  'The server does not offer tasks, so client.start() makes ordinary calls: they have no ticket, and end with the connection. ' +
  'In Mooring, pass "tasks" to createServer()';

export class ClientTasks {
  readonly #context: ClientTasksContext;
  readonly #parts: FollowedTaskParts;

  constructor(context: ClientTasksContext) {
    this.#context = context;
    const { requests, handlers, results } = context;
    const following = new Set<TaskFollower>();
    const listener = new TaskListener(requests);
    this.#parts = { requests, handlers, results, following, forms: new TaskForms(), listener };
    // One listener for all tasks avoids MaxListenersExceededWarning.
    const { closing } = requests.connection;
    closing.addEventListener('abort', () => {
      for (const follower of [...following]) follower.stop(closing.reason);
    });
  }

  /** Calls a tool and waits for its result, also if the call becomes a task. If the caller cancels, the task is cancelled. */
  async callTool(name: string, params: JsonObject, options: CallToolOptions): Promise<JsonObject> {
    const call = { name, params, options };
    const started = await this.#send(call, await this.#prepare(call, false));
    if (!(started instanceof FollowedTask)) return started;
    const { signal, timeoutMs, maxTimeoutMs, onProgress, onTask } = options;
    const { taskId } = started.ticket;
    if (onTask !== undefined) this.#context.requests.settings.warnings.guard('onTask', () => onTask(taskId));
    const reporting = new AbortController();
    const following = started.follow({ signal, timeoutMs, maxTimeoutMs });
    if (onProgress !== undefined) void this.#reportProgress(started, onProgress, reporting.signal);
    try {
      return await following;
    } catch (error) {
      if (!started.hasEnded) await started.cancel().catch(() => undefined);
      throw signal?.aborted === true ? cancelledError('tools/call', signal) : error;
    } finally {
      reporting.abort();
    }
  }

  async start(name: string, params: JsonObject, options: RequestOptions): Promise<ClientTask> {
    const call = { name, params, options };
    const { results, rounds } = this.#context;
    const prepared = await this.#prepare(call, true);
    if (prepared === undefined)
      return new PlainTask(name, results, async (own) => {
        const onProgress = (progress: Progress): void => {
          own.onProgress?.(progress);
          options.onProgress?.(progress);
        };
        const merged = { ...options, onProgress, signal: joinSignals(own.signal, options.signal) };
        return (await rounds.complete('tools/call', params, merged)).result;
      });
    const started = await this.#send(call, prepared);
    return started instanceof FollowedTask ? started : new PlainTask(name, results, async () => started);
  }

  async attach(ticket: unknown): Promise<ClientTask> {
    await requireForm(this.#parts.forms, await this.#context.requests.connection.use());
    return new FollowedTask(this.#parts, checkTicket(ticket, await this.#identity()));
  }

  /** Returns the params to send; undefined if the server cannot run this call as a task. */
  async #prepare({ name, params, options }: ToolCall, isStart: boolean): Promise<PreparedCall | undefined> {
    const { requests, findTool } = this.#context;
    const live = await requests.connect('tools/call', options);
    const form = await this.#parts.forms.find(live.revision);
    if (isStart && form?.isOffered(live.server.capabilities) !== true) requests.settings.warnings.once(NO_TASKS);
    if (form === undefined) return undefined;
    const asks = await asksForTask(form, live.server, isStart, () => findTool(name));
    if (asks) return { params: form.requestTask(params), asks };
    return form.hasResultRequest ? undefined : { params, asks };
  }

  /** Sends the call. Returns the task if the server started one, or else the result. */
  async #send({ name, params, options }: ToolCall, prepared?: PreparedCall): Promise<JsonObject | FollowedTask> {
    const { rounds, requests } = this.#context;
    const { result, live } = await rounds.completeRounds('tools/call', prepared?.params ?? params, options);
    const form = await this.#parts.forms.find(live.revision);
    const report = form === undefined ? undefined : readCreatedTask(form, result, prepared?.asks === true);
    if (report !== undefined) return this.#follow(name, report, live);
    checkResultType(live.revision, 'tools/call', result, requests.settings.resultTypes);
    return result;
  }

  async #follow(tool: string, report: TaskState, live: LiveConnection): Promise<FollowedTask> {
    const head = { server: await this.#identity(), revision: live.revision.id, tool };
    return new FollowedTask(this.#parts, makeTicket(head, report, []), report);
  }

  #identity(): Promise<string> {
    const { origin, requests } = this.#context;
    return serverIdentity(origin, requests.connection.known?.server ?? { capabilities: {} });
  }

  /** Reports the states of a task as progress of the call. */
  async #reportProgress(
    task: FollowedTask,
    onProgress: NonNullable<RequestOptions['onProgress']>,
    signal: AbortSignal,
  ): Promise<void> {
    const { warnings } = this.#context.requests.settings;
    let count = 0;
    try {
      for await (const state of task.states({ signal })) {
        const progress = toProgress(state, count);
        if (progress === undefined) continue;
        count++;
        warnings.guard('onProgress', () => onProgress(progress));
      }
    } catch {
      // The call itself rejects with the same reason.
    }
  }
}
