/**
 * Carries events from the agent loop to the `for await` loop of the application. While the application does not read, chunks of text are
 * joined and each call keeps its last progress report, so that the queue takes no more memory than the conversation.
 */
import type { AgentEvent } from './events.ts';

/** From this number of unread events on, they are merged. */
const MAX_UNREAD = 256;

export class EventQueue implements AsyncIterable<AgentEvent> {
  #events: AgentEvent[] = [];
  #wake: () => void = () => undefined;
  #ended = false;

  push(event: AgentEvent): void {
    if (this.#events.length < MAX_UNREAD || !mergeInto(this.#events, event)) this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void> {
    while (!this.#ended || this.#events.length > 0) {
      // Takes the whole array: shift() is O(n).
      const events = this.#events;
      this.#events = [];
      yield* events;
      if (this.#ended || this.#events.length > 0) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Merges an event into an unread one. Returns false if there is none of its kind. */
function mergeInto(events: AgentEvent[], event: AgentEvent): boolean {
  if (event.type === 'text') {
    const last = events.at(-1);
    if (last?.type !== 'text') return false;
    events[events.length - 1] = { type: 'text', text: last.text + event.text };
    return true;
  }
  if (event.type !== 'progress') return false;
  // Models can use an id again: only the last event of the call counts.
  const at = events.findLastIndex((one) => 'id' in one && one.id === event.id);
  if (events[at]?.type !== 'progress') return false;
  events[at] = event;
  return true;
}
