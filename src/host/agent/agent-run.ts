/** Implements `AgentRun`: an async iterable of events that is also awaitable. Either use starts the run. */
import { McpError } from '../../errors.ts';
import type { AgentEvent } from './events.ts';

/** The last event of a run that did not fail. */
export type AgentDone = Extract<AgentEvent, { readonly type: 'done' }>;

/** The return type of `session.run`: read its events with `for await`, or `await` it. The run starts when you do. */
export interface AgentRun extends AsyncGenerator<AgentEvent, void>, PromiseLike<AgentDone> {}

type Ending = Extract<AgentEvent, { readonly type: 'done' | 'error' }>;

export class AgentRunEvents implements AgentRun {
  readonly #events: AsyncGenerator<AgentEvent, void>;
  #last: Ending | undefined;

  constructor(events: AsyncGenerator<AgentEvent, void>) {
    this.#events = events;
  }

  async next(): Promise<IteratorResult<AgentEvent, void>> {
    const result = await this.#events.next();
    const { value } = result;
    if (value?.type === 'done' || value?.type === 'error') this.#last = value;
    return result;
  }

  return(): Promise<IteratorResult<AgentEvent, void>> {
    return this.#events.return();
  }

  throw(error: unknown): Promise<IteratorResult<AgentEvent, void>> {
    return this.#events.throw(error);
  }

  // biome-ignore lint/suspicious/noThenProperty: without it, `await session.run(…)` would silently do nothing.
  then<A = AgentDone, B = never>(
    onDone?: ((done: AgentDone) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#finish().then(onDone, onError);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  async #finish(): Promise<AgentDone> {
    while ((await this.next()).done !== true);
    if (this.#last?.type === 'done') return this.#last;
    if (this.#last?.type === 'error') throw this.#last.error;
    throw new McpError('MCP_CANCELLED', { method: 'A run', why: 'the application stopped reading its events' });
  }
}
