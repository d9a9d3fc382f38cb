/** An event store for the official servers: both versions define the interface, and neither ships one. */
import { randomUUID } from 'node:crypto';

export class InMemoryEventStore<Message> {
  readonly #events: { readonly id: string; readonly stream: string; readonly message: Message }[] = [];

  async storeEvent(stream: string, message: Message): Promise<string> {
    const id = randomUUID();
    this.#events.push({ id, stream, message });
    return id;
  }

  async replayEventsAfter(
    last: string,
    { send }: { readonly send: (id: string, message: Message) => Promise<void> },
  ): Promise<string> {
    const at = this.#events.findIndex(({ id }) => id === last);
    const stream = this.#events[at]?.stream ?? '';
    for (const event of this.#events.slice(at + 1)) {
      if (event.stream === stream) await send(event.id, event.message);
    }
    return stream;
  }
}
