/** Events from the run to the loop that reads them. */

export class EventQueue<E> implements AsyncIterable<E> {
  readonly #events: E[] = [];
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
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
