/** One stretch of waiting for a task: looks at it, listens, answers its questions, and ends with its outcome or a reason to stop. */
import { McpError, RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { relatedTaskOf } from '../../model/related-task.ts';
import { backoffMs } from '../../peer/backoff.ts';
import { Deferred, sleep, untilAborted } from '../../peer/wait.ts';
import { malformedResult } from '../../revisions/decode.ts';
import type { TaskState } from '../../revisions/tasks/form.ts';
import type { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { LiveConnection } from '../connection.ts';
import type { Requests, SendingOptions } from '../requests.ts';
import { pollInterval } from './poll-interval.ts';
import { isTaskOver, readTaskState, requireForm } from './read-task.ts';
import type { WaitOptions } from './task.ts';
import type { TaskListener } from './task-listener.ts';
import type { TaskQuestions } from './task-questions.ts';

/** Without a sign of life, and in all, where the caller names no timeouts. */
const MAX_SILENCE_MS = 24 * 3_600_000;
const MAX_WAIT_MS = 7 * MAX_SILENCE_MS;
/** A server that restarts is waited for. */
const MAX_OFFLINE_MS = 300_000;
/** While the server reports by itself, a look now and then finds out about reports that were lost. */
const LISTENING_POLL_MS = 60_000;

/** What all tasks of a client share. */
export interface FollowerParts {
  readonly requests: Requests;
  readonly listener: TaskListener;
  readonly forms: TaskForms;
  /** All that wait on this connection: its end stops them. */
  readonly following: Set<TaskFollower>;
}

export interface FollowedContext extends FollowerParts {
  readonly taskId: string;
  readonly tool: string;
  readonly questions: TaskQuestions;
  /** What is known so far; undefined where the task was only read from a ticket. */
  readonly last: TaskState | undefined;
  onReport(report: TaskState): void;
}

export class TaskFollower {
  readonly #context: FollowedContext;
  readonly #options: WaitOptions;
  readonly #over: AbortController = new AbortController();
  readonly #done: Deferred<JsonObject> = new Deferred();
  readonly #began: number;
  #last: TaskState | undefined;
  /** When something last changed. */
  #sign: number;
  #unchanged = 0;
  #isListening = false;
  #stopSleep: () => void = () => undefined;
  /** Something happened since the last look. */
  #isWoken = false;

  constructor(context: FollowedContext, options: WaitOptions) {
    this.#context = context;
    this.#options = options;
    this.#last = context.last;
    this.#began = this.#now;
    this.#sign = this.#began;
  }

  /** The very result of the call. Throws its error, or why the waiting ended. */
  async run(): Promise<JsonObject> {
    const { following } = this.#context;
    following.add(this);
    try {
      this.#attempt(this.#poll());
      this.#attempt(this.#fetchResult());
      return await this.#done.promise;
    } finally {
      following.delete(this);
      this.stop(undefined);
    }
  }

  /** Waits no longer; the task is left alone. */
  stop(reason: unknown): void {
    this.#done.reject(reason);
    this.#over.abort(reason);
    this.#wake();
  }

  get #now(): number {
    return this.#context.requests.settings.clock.now();
  }

  #attempt(part: Promise<void>): void {
    part.catch((error: unknown) => this.#done.reject(error));
  }

  async #send(method: string, options: SendingOptions = {}): Promise<readonly [JsonObject, LiveConnection]> {
    const { requests, taskId } = this.#context;
    const [result, live] = await requests.send(method, { taskId }, { signal: this.#over.signal, ...options });
    return [result, live];
  }

  async #poll(): Promise<void> {
    const { random } = this.#context.requests.settings;
    let leave: (() => void) | undefined;
    try {
      // A task that has just begun is not looked at before its time.
      for (let failed = 0, since = 0, look = this.#last === undefined; !this.#over.signal.aborted; look = true) {
        try {
          if (look && !this.#isOver) await this.#look();
          failed = 0;
          if (look && !this.#isOver) leave ??= await this.#listen();
        } catch (error) {
          if (failed++ === 0) since = this.#now;
          if (!mayPass(error) || this.#now - since > MAX_OFFLINE_MS) throw unknownTask(error, this.#context);
        }
        const usual = pollInterval(this.#last?.pollMs, this.#unchanged, random());
        const ms = failed > 0 ? backoffMs(failed, random()) : this.#isListening ? LISTENING_POLL_MS : usual;
        await this.#sleep(Math.min(ms, this.#remaining()));
      }
    } finally {
      leave?.();
    }
  }

  async #look(timeoutMs?: number): Promise<void> {
    const [result, live] = await this.#send('tasks/get', timeoutMs === undefined ? {} : { timeoutMs });
    this.#note(readTaskState(await requireForm(this.#context.forms, live), 'tasks/get', result), live);
  }

  /** Where results have a request of their own, it stays open: questions come on it, and the result. */
  async #fetchResult(): Promise<void> {
    const { forms, requests } = this.#context;
    const { connection, settings } = requests;
    const form = await requireForm(forms, await connection.use());
    if (!form.hasResultRequest) return;
    for (let failed = 0, since = 0; !this.#over.signal.aborted; ) {
      try {
        const [result] = await this.#send('tasks/result', { standing: true });
        const of = relatedTaskOf(result);
        if (of !== undefined && of !== this.#context.taskId)
          throw malformedResult('tasks/result', 'it is the result of another task');
        // Readers of states learn how it ended. The result is there, so that a server which does not say so is not waited for.
        if (!this.#isOver) await this.#look(settings.timeouts.closeTimeoutMs).catch(() => undefined);
        this.#done.resolve(result);
        return;
      } catch (error) {
        // A task that was cancelled has no result, and its error does not say so.
        if (error instanceof RpcError) await this.#look().catch(() => undefined);
        if (failed++ === 0) since = this.#now;
        if (error instanceof RpcError || !mayPass(error) || this.#now - since > MAX_OFFLINE_MS) throw error;
        await untilAborted(sleep(settings.clock, backoffMs(failed, settings.random())), this.#over.signal);
      }
    }
  }

  async #listen(): Promise<() => void> {
    const { listener, taskId, requests } = this.#context;
    const live = await requests.connection.use();
    const form = await requireForm(this.#context.forms, live);
    if (form.hasResultRequest) return () => undefined;
    return listener.add(taskId, {
      listening: (isOn) => {
        const isChange = this.#isListening !== isOn;
        this.#isListening = isOn;
        // What happened before the stream was open, or after it broke, was not reported on it.
        if (isChange) this.#wake();
      },
      notify: (message) => {
        try {
          if (message.method === form.changedMethod)
            this.#note(readTaskState(form, message.method, message.params ?? {}));
        } catch (error) {
          this.#done.reject(error);
        }
      },
    });
  }

  get #isOver(): boolean {
    return this.#last !== undefined && isTaskOver(this.#last.status);
  }

  /** Questions are answered where they were asked for: a report that comes by itself leads to a look. */
  #note(report: TaskState, live?: LiveConnection): void {
    const { taskId, onReport } = this.#context;
    if (report.taskId !== taskId) throw malformedResult('tasks/get', 'it is about another task');
    const before = this.#last;
    // A report that was overtaken by a later one says nothing new. The end is the end, whatever it is dated.
    const isOld = before !== undefined && report.updatedAt < before.updatedAt;
    if (this.#over.signal.aborted || this.#isOver || (isOld && !isTaskOver(report.status))) return;
    this.#last = report;
    const isNew = before === undefined || isDifferent(before, report);
    this.#unchanged = isNew ? 0 : this.#unchanged + 1;
    if (isNew) this.#sign = this.#now;
    if (isNew) onReport(report);
    if (report.status === 'input_required' && report.questions !== undefined) {
      if (live === undefined) this.#wake();
      else this.#attempt(this.#answer(report.questions, live));
    }
    if (isTaskOver(report.status)) this.#end(report);
  }

  /** What changes with an answer is looked for at once. */
  async #answer(open: NonNullable<TaskState['questions']>, live: LiveConnection): Promise<void> {
    if (await this.#context.questions.answer(open, live, this.#over.signal)) this.#wake();
  }

  /** Where results have a request of their own, that brings the outcome; it says nothing of tasks that were cancelled. */
  #end({ result, error, status, message }: TaskState): void {
    if (status === 'completed' && result !== undefined) this.#done.resolve(result);
    if (status === 'failed' && error !== undefined)
      this.#done.reject(new RpcError(error.code, error.message, error.data));
    if (status !== 'cancelled') return;
    const method = `The task of tool "${this.#context.tool}"`;
    this.#done.reject(new McpError('MCP_CANCELLED', { method, why: message ?? 'the server says so' }));
  }

  /** Milliseconds until the waiting ends. Throws when it has. */
  #remaining(): number {
    const { requests, questions, tool } = this.#context;
    const { timeouts, pause } = requests.settings;
    const now = this.#now;
    // A user may think for long, and a result that was announced must come in time.
    if (questions.isAsking || pause.isPaused) this.#sign = now;
    const lifetime = this.#isOver ? timeouts.timeoutMs : Math.min(this.#last?.ttlMs ?? MAX_SILENCE_MS, MAX_SILENCE_MS);
    const { timeoutMs = lifetime, maxTimeoutMs = Math.max(MAX_WAIT_MS, timeoutMs) } = this.#options;
    const isSilent = this.#sign + timeoutMs < this.#began + maxTimeoutMs;
    const left = (isSilent ? this.#sign + timeoutMs : this.#began + maxTimeoutMs) - now;
    if (left > 0) return left;
    const [ms, setting] = isSilent
      ? [timeoutMs, 'timeoutMs is the longest silence of a task']
      : [maxTimeoutMs, 'maxTimeoutMs'];
    throw new McpError('MCP_TIMEOUT', { method: `The task of tool "${tool}"`, ms, setting });
  }

  #wake(): void {
    this.#isWoken = true;
    this.#stopSleep();
  }

  async #sleep(ms: number): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        const stop = this.#context.requests.settings.clock.after(ms, resolve);
        this.#stopSleep = () => {
          stop();
          resolve();
        };
      });
    this.#isWoken = false;
  }
}

const isDifferent = (a: TaskState, b: TaskState): boolean =>
  a.status !== b.status ||
  a.message !== b.message ||
  a.updatedAt !== b.updatedAt ||
  Object.keys(b.questions ?? {}).some((key) => a.questions?.[key] === undefined);

/** The connection failed, or the server has too much to do; neither says anything about the task. */
const mayPass = (error: unknown): boolean =>
  error instanceof RpcError
    ? error.code === INTERNAL_ERROR
    : error instanceof McpError && (error.kind === 'offline' || error.kind === 'exit');

/** Servers forget tasks, and say the same of those of others. */
function unknownTask(error: unknown, { tool, taskId }: FollowedContext): unknown {
  if (!(error instanceof RpcError) || error.code !== INVALID_PARAMS) return error;
  const why = 'it has expired, or it belongs to another caller';
  return new RpcError(error.code, `The server does not know task ${taskId} of tool "${tool}": ${why}`, error.data);
}
