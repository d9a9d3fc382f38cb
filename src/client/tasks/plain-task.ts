/** A `ClientTask` for a call that the server does not run as a task. It is lost with its connection. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { untilAborted } from '../../peer/wait.ts';
import { cancelledError, type Progress, type RequestOptions } from '../outgoing-call.ts';
import type { AttemptResult, CallResult } from '../types.ts';
import type { ToolResults } from './followed-task.ts';
import type { ClientTask, ClientTaskState, WaitOptions } from './task.ts';
import { StateFeed } from './task-states.ts';

export class PlainTask implements ClientTask {
  readonly tool: string;
  readonly ticket: undefined;
  readonly #results: ToolResults;
  readonly #feed: StateFeed = new StateFeed();
  readonly #cancel: AbortController = new AbortController();
  readonly #done: Promise<JsonObject>;

  constructor(tool: string, results: ToolResults, call: (options: RequestOptions) => Promise<JsonObject>) {
    this.tool = tool;
    this.#results = results;
    this.#feed.push({ status: 'working' });
    const onProgress = ({ message, ...progress }: Progress): void =>
      this.#feed.push({ status: 'working', progress, ...(message === undefined ? {} : { message }) });
    this.#done = call({ signal: this.#cancel.signal, onProgress });
    this.#done.then(
      () => this.#feed.push({ status: 'completed' }),
      () => this.#feed.push({ status: this.#cancel.signal.aborted ? 'cancelled' : 'failed' }),
    );
  }

  async result(options: WaitOptions = {}): Promise<CallResult<unknown>> {
    return this.#results.toCallResult(this.tool, await this.#wait(options));
  }

  async attempt(options: WaitOptions = {}): Promise<AttemptResult> {
    return this.#results.toAttemptResult(this.tool, await this.#wait(options));
  }

  async *states(options: WaitOptions = {}): AsyncGenerator<ClientTaskState, void, undefined> {
    yield* this.#feed.read(this.#wait(options), () => options.signal?.aborted !== true);
  }

  async cancel(): Promise<void> {
    this.#cancel.abort();
  }

  async #wait({ signal }: WaitOptions): Promise<JsonObject> {
    try {
      return await untilAborted(this.#done, signal);
    } catch (error) {
      throw signal?.aborted === true ? cancelledError('Waiting for a call', signal) : error;
    }
  }
}
