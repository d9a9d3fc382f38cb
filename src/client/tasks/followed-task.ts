/** A call that runs as a task on the server. It is polled only while a caller waits for its result or its next state. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { joinSignals, untilAborted } from '../../peer/wait.ts';
import type { TaskState } from '../../revisions/tasks/form.ts';
import { cancelledError } from '../outgoing-call.ts';
import type { QuestionHandlers } from '../question-handlers.ts';
import type { AttemptResult, CallResult } from '../types.ts';
import { isEndStatus, readTaskState, requireForm } from './read-task.ts';
import type { ClientTask, ClientTaskState, TaskTicket, WaitOptions } from './task.ts';
import { type FollowerParts, TaskFollower } from './task-follower.ts';
import { TaskQuestions } from './task-questions.ts';
import { StateFeed, toState } from './task-states.ts';
import { makeTicket, type TaskLifetime, type TicketHead } from './ticket.ts';
import { untilReachable } from './until-reachable.ts';

/** Converts the raw result of a tool to the result of `call` or `attempt`. */
export interface ToolResults {
  toCallResult(name: string, result: JsonObject): Promise<CallResult<unknown>>;
  toAttemptResult(name: string, result: JsonObject): Promise<AttemptResult>;
}

export interface FollowedTaskParts extends FollowerParts {
  readonly handlers: QuestionHandlers;
  readonly results: ToolResults;
}

interface RunningFollower {
  readonly follower: TaskFollower;
  readonly done: Promise<JsonObject>;
  /** The number of callers that wait for it. */
  waiting: number;
}

export class FollowedTask implements ClientTask {
  readonly tool: string;
  readonly #parts: FollowedTaskParts;
  readonly #head: TicketHead;
  readonly #answered: Set<string>;
  readonly #questions: TaskQuestions;
  readonly #feed: StateFeed = new StateFeed();
  #known: TaskLifetime;
  #last: TaskState | undefined;
  #running: RunningFollower | undefined;
  #result: Promise<JsonObject> | undefined;

  constructor(parts: FollowedTaskParts, from: TaskTicket, report?: TaskState) {
    this.tool = from.tool;
    this.#parts = parts;
    this.#head = from;
    this.#known = from;
    this.#last = report;
    this.#answered = new Set(from.answered);
    const { taskId } = from;
    const { requests } = parts;
    // Safe to repeat: servers ignore answers to questions that are answered.
    const send = async (inputResponses: JsonObject, signal: AbortSignal): Promise<void> => {
      await untilReachable(requests.settings, signal, () => requests.send('tasks/update', { taskId, inputResponses }));
    };
    this.#questions = new TaskQuestions({ taskId, questions: parts.handlers, answered: this.#answered, send });
    if (report !== undefined) this.#feed.push(toState(report));
  }

  get ticket(): TaskTicket {
    return makeTicket(this.#head, this.#known, this.#answered);
  }

  get hasEnded(): boolean {
    return this.#last !== undefined && isEndStatus(this.#last.status);
  }

  async result(options: WaitOptions = {}): Promise<CallResult<unknown>> {
    return this.#parts.results.toCallResult(this.tool, await this.follow(options));
  }

  async attempt(options: WaitOptions = {}): Promise<AttemptResult> {
    return this.#parts.results.toAttemptResult(this.tool, await this.follow(options));
  }

  async *states(options: WaitOptions = {}): AsyncGenerator<ClientTaskState, void, undefined> {
    const left = new AbortController();
    const done = this.follow({ ...options, signal: joinSignals(left.signal, options.signal) });
    try {
      yield* this.#feed.read(done, () => this.hasEnded);
    } finally {
      left.abort();
    }
  }

  /** Waits for the raw result of the call. Concurrent callers share one follower, with the timeouts of the first. */
  async follow(options: WaitOptions): Promise<JsonObject> {
    if (this.#result !== undefined) return this.#result;
    const { signal } = options;
    const cancelledOr = (error: unknown): unknown =>
      signal?.aborted === true ? cancelledError('Waiting for a task', signal) : error;
    if (signal?.aborted === true) throw cancelledOr(undefined);
    const running = this.#running ?? this.#start(options);
    running.waiting++;
    try {
      return await untilAborted(running.done, signal);
    } catch (error) {
      throw cancelledOr(error);
    } finally {
      running.waiting--;
      if (running.waiting === 0) {
        // At once, so that the next caller does not join a follower that stops.
        if (this.#running === running) this.#running = undefined;
        running.follower.stop(new Error('no caller waits for the task any more'));
      }
    }
  }

  async cancel(): Promise<void> {
    if (this.hasEnded) return;
    const { requests } = this.#parts;
    const { taskId } = this.#known;
    const options = { timeoutMs: requests.settings.timeouts.closeTimeoutMs };
    try {
      await requests.send('tasks/cancel', { taskId }, options);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== INVALID_PARAMS) throw error;
      // In one revision, cancelling a task that has ended is this error. Checks whether that is the reason.
      const [result, live] = await requests.send('tasks/get', { taskId }, options);
      if (!isEndStatus(readTaskState(await requireForm(this.#parts.forms, live), 'tasks/get', result).status))
        throw error;
    }
  }

  #start(options: WaitOptions): RunningFollower {
    const onReport = (report: TaskState): void => {
      this.#last = report;
      this.#known = report;
      this.#feed.push(toState(report));
    };
    const { taskId } = this.#known;
    const own = { taskId, tool: this.tool, questions: this.#questions, last: this.#last, onReport };
    const follower = new TaskFollower({ ...this.#parts, ...own }, options);
    const done = follower.run();
    const running = { follower, done, waiting: 0 };
    this.#running = running;
    const ended = (): void => {
      if (this.#running === running) this.#running = undefined;
    };
    done.then(() => {
      this.#result = done;
      ended();
    }, ended);
    return running;
  }
}
