/** An unbounded queue that carries events from the agent loop to the `for await` loop of the application. */

export class EventQueue<E> implements AsyncIterable<E> {
  #events: E[] = [];
  #wake: () => void = () => undefined;
  #ended = false;

  push(event: E): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<E, void> {
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
