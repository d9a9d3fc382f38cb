/** Waits for one task: polls it, listens for reports, answers its questions, and settles with its outcome. */
import { McpError, RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { relatedTaskOf } from '../../model/related-task.ts';
import { backoffMs } from '../../peer/backoff.ts';
import { Deferred } from '../../peer/wait.ts';
import { malformedResult } from '../../revisions/decode.ts';
import type { TaskState } from '../../revisions/tasks/form.ts';
import type { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { LiveConnection } from '../live-connection.ts';
import type { Requests, SendingOptions } from '../requests.ts';
import { pollInterval } from './poll-interval.ts';
import { isEndStatus, readTaskState, requireForm } from './read-task.ts';
import type { WaitOptions } from './task.ts';
import type { TaskListener } from './task-listener.ts';
import type { TaskQuestions } from './task-questions.ts';
import { isUnreachable, MAX_OFFLINE_MS, untilReachable } from './until-reachable.ts';

/** Default timeouts: without a change of the task, and in total. */
const MAX_SILENCE_MS = 24 * 3_600_000;
const MAX_WAIT_MS = 7 * MAX_SILENCE_MS;
/** Poll interval while the server reports changes, in case a report is lost. */
const LISTENING_POLL_MS = 60_000;

/** Dependencies that all tasks of a client share. */
export interface FollowerParts {
  readonly requests: Requests;
  readonly listener: TaskListener;
  readonly forms: TaskForms;
  /** All running followers, which stop when the client closes. */
  readonly following: Set<TaskFollower>;
}

export interface FollowedContext extends FollowerParts {
  readonly taskId: string;
  readonly tool: string;
  readonly questions: TaskQuestions;
  /** The last reported state; undefined if the task was resumed from a ticket. */
  readonly last: TaskState | undefined;
  onReport(report: TaskState): void;
}

export class TaskFollower {
  readonly #context: FollowedContext;
  readonly #options: WaitOptions;
  readonly #abort: AbortController = new AbortController();
  readonly #done: Deferred<JsonObject> = new Deferred();
  readonly #startedAt: number;
  #last: TaskState | undefined;
  #lastChangeAt: number;
  #unchanged = 0;
  #isListening = false;
  #stopSleep: () => void = () => undefined;
  /** The task must be polled without waiting for the interval. */
  #isWoken = false;

  constructor(context: FollowedContext, options: WaitOptions) {
    this.#context = context;
    this.#options = options;
    this.#last = context.last;
    this.#startedAt = this.#now;
    this.#lastChangeAt = this.#startedAt;
  }

  /** Returns the raw result of the call. Throws the call's error, or the reason why the follower stopped. */
  async run(): Promise<JsonObject> {
    const { following } = this.#context;
    following.add(this);
    try {
      // An earlier follower saw the end of the task, but was stopped before the outcome arrived.
      if (this.#last !== undefined && this.#hasEnded) this.#settle(this.#last);
      this.#rejectOnError(this.#poll());
      this.#rejectOnError(this.#fetchResult());
      return await this.#done.promise;
    } finally {
      following.delete(this);
      this.stop(undefined);
    }
  }

  /** Stops waiting, without cancelling the task. */
  stop(reason: unknown): void {
    this.#done.reject(reason);
    this.#abort.abort(reason);
    this.#wake();
  }

  get #now(): number {
    return this.#context.requests.settings.clock.now();
  }

  #rejectOnError(work: Promise<void>): void {
    work.catch((error: unknown) => this.#done.reject(error));
  }

  async #send(method: string, options: SendingOptions = {}): Promise<readonly [JsonObject, LiveConnection]> {
    const { requests, taskId } = this.#context;
    const [result, live] = await requests.send(method, { taskId }, { signal: this.#abort.signal, ...options });
    return [result, live];
  }

  async #poll(): Promise<void> {
    const { random } = this.#context.requests.settings;
    let stopListening: (() => void) | undefined;
    try {
      // A task whose creation was just reported is first polled after one interval.
      for (let failed = 0, since = 0, isDue = this.#last === undefined; !this.#abort.signal.aborted; isDue = true) {
        try {
          if (isDue && !this.#hasEnded) await this.#fetchState();
          failed = 0;
          if (isDue && !this.#hasEnded) stopListening ??= await this.#listen();
        } catch (error) {
          if (failed++ === 0) since = this.#now;
          if (!isTransient(error) || this.#now - since > MAX_OFFLINE_MS) throw toUnknownTaskError(error, this.#context);
        }
        const usual = pollInterval(this.#last?.pollMs, this.#unchanged, random());
        const ms = failed > 0 ? backoffMs(failed, random()) : this.#isListening ? LISTENING_POLL_MS : usual;
        await this.#sleep(Math.min(ms, this.#remaining()));
      }
    } finally {
      stopListening?.();
    }
  }

  async #fetchState(timeoutMs?: number): Promise<void> {
    const [result, live] = await this.#send('tasks/get', timeoutMs === undefined ? {} : { timeoutMs });
    this.#applyReport(readTaskState(await requireForm(this.#context.forms, live), 'tasks/get', result), live);
  }

  /** In revisions with `tasks/result`, keeps that request open: the server sends its questions and then the result on it. */
  async #fetchResult(): Promise<void> {
    const { forms, requests } = this.#context;
    const { connection, settings } = requests;
    const form = await requireForm(forms, await connection.use());
    if (!form.hasResultRequest) return;
    try {
      const [result] = await untilReachable(settings, this.#abort.signal, () =>
        this.#send('tasks/result', { standing: true }),
      );
      const of = relatedTaskOf(result);
      if (of !== undefined && of !== this.#context.taskId)
        throw malformedResult('tasks/result', 'it is the result of another task');
      // Fetches the final status for readers of `states()`. Best effort with a short timeout, because the result is already here.
      if (!this.#hasEnded) await this.#fetchState(settings.timeouts.closeTimeoutMs).catch(() => undefined);
      this.#done.resolve(result);
    } catch (error) {
      // A cancelled task has no result, and the error does not say why. The status does, and rejects first.
      if (error instanceof RpcError) await this.#fetchState().catch(() => undefined);
      throw error;
    }
  }

  async #listen(): Promise<() => void> {
    const { listener, taskId, requests } = this.#context;
    const live = await requests.connection.use();
    const form = await requireForm(this.#context.forms, live);
    if (form.hasResultRequest) return () => undefined;
    return listener.add(taskId, {
      setListening: (isListening) => {
        const isChange = this.#isListening !== isListening;
        this.#isListening = isListening;
        // Changes before the stream opened or after it broke were not reported, so poll once now.
        if (isChange) this.#wake();
      },
      notify: (message) => {
        try {
          if (message.method === form.changedMethod)
            this.#applyReport(readTaskState(form, message.method, message.params ?? {}));
        } catch (error) {
          this.#done.reject(error);
        }
      },
    });
  }

  get #hasEnded(): boolean {
    return this.#last !== undefined && isEndStatus(this.#last.status);
  }

  /** Applies a reported state. Only a polled one (with `live`) gets its questions answered; a notification triggers a poll. */
  #applyReport(report: TaskState, live?: LiveConnection): void {
    const { taskId, onReport } = this.#context;
    if (report.taskId !== taskId) throw malformedResult('tasks/get', 'it is about another task');
    const before = this.#last;
    // Ignores reports that arrive out of order, unless the status is final: the end counts whatever its timestamp.
    const isOld = before !== undefined && report.updatedAt < before.updatedAt;
    if (this.#abort.signal.aborted || this.#hasEnded || (isOld && !isEndStatus(report.status))) return;
    this.#last = report;
    const isNew = before === undefined || isDifferent(before, report);
    this.#unchanged = isNew ? 0 : this.#unchanged + 1;
    if (isNew) this.#lastChangeAt = this.#now;
    if (isNew) onReport(report);
    if (report.status === 'input_required' && report.questions !== undefined) {
      if (live === undefined) this.#wake();
      else this.#rejectOnError(this.#answer(report.questions, live));
    }
    if (isEndStatus(report.status)) this.#settle(report);
  }

  /** Answers new questions, then polls at once, because the answers change the task. */
  async #answer(open: NonNullable<TaskState['questions']>, live: LiveConnection): Promise<void> {
    if (await this.#context.questions.answer(open, live, this.#abort.signal)) this.#wake();
  }

  /** Settles with the outcome in the final state. In revisions with `tasks/result`, that request has it, except for cancelled tasks. */
  #settle({ result, error, status, message }: TaskState): void {
    if (status === 'completed' && result !== undefined) this.#done.resolve(result);
    if (status === 'failed' && error !== undefined)
      this.#done.reject(new RpcError(error.code, error.message, error.data));
    if (status !== 'cancelled') return;
    const method = `The task of tool "${this.#context.tool}"`;
    this.#done.reject(new McpError('MCP_CANCELLED', { method, why: message ?? 'the server says so' }));
  }

  /** Milliseconds until the timeout. Throws MCP_TIMEOUT if it has passed. */
  #remaining(): number {
    const { requests, questions, tool } = this.#context;
    const { timeouts, pause } = requests.settings;
    const now = this.#now;
    // The timeout is paused while the user answers. After the end of the task, its result must arrive within `timeoutMs` of the client.
    if (questions.isAsking || pause.isPaused) this.#lastChangeAt = now;
    const lifetime = this.#hasEnded
      ? timeouts.timeoutMs
      : Math.min(this.#last?.ttlMs ?? MAX_SILENCE_MS, MAX_SILENCE_MS);
    const { timeoutMs = lifetime, maxTimeoutMs = Math.max(MAX_WAIT_MS, timeoutMs) } = this.#options;
    const isSilent = this.#lastChangeAt + timeoutMs < this.#startedAt + maxTimeoutMs;
    const left = (isSilent ? this.#lastChangeAt + timeoutMs : this.#startedAt + maxTimeoutMs) - now;
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

/** The connection failed, or the server is overloaded: the task itself may be fine, so it is polled again. */
const isTransient = (error: unknown): boolean =>
  isUnreachable(error) || (error instanceof RpcError && error.code === INTERNAL_ERROR);

/** Explains −32602: servers respond with it for expired tasks and for tasks of other callers. */
function toUnknownTaskError(error: unknown, { tool, taskId }: FollowedContext): unknown {
  if (!(error instanceof RpcError) || error.code !== INVALID_PARAMS) return error;
  const why = 'it has expired, or it belongs to another caller or (without authorization) to another session';
  return new RpcError(error.code, `The server does not know task ${taskId} of tool "${tool}": ${why}`, error.data);
}
