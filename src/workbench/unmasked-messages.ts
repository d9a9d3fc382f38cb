/** Keeps the newest messages with secrets as they were sent, in memory only, for `timeline.reveal`. */
import type { Message } from '../jsonrpc/message.ts';

const MAX_MESSAGES = 500;
/** Maximum total length in characters. */
const MAX_LENGTH: number = 32 * 1024 * 1024;

export class UnmaskedMessages {
  readonly #messages: Map<number, { readonly message: Message; readonly length: number }> = new Map();
  #length = 0;

  add(id: number, message: Message, length: number): void {
    this.#messages.set(id, { message, length });
    this.#length += length;
    for (const [oldest, evicted] of this.#messages) {
      if (this.#messages.size <= MAX_MESSAGES && this.#length <= MAX_LENGTH) return;
      this.#messages.delete(oldest);
      this.#length -= evicted.length;
    }
  }

  get(id: number): Message | undefined {
    return this.#messages.get(id)?.message;
  }
}
