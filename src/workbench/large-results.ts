/** Results that are too large for a response or an event. Each waits here until the page fetches it, once. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { MAX_PAGE_MESSAGE } from './event-feed.ts';

/** Maximum number of waiting results, and of their total length in characters; the oldest are evicted. */
const MAX_WAITING = 50;
const MAX_WAITING_LENGTH: number = 64 * 1024 * 1024;

export class LargeResults {
  readonly #texts: Map<string, string> = new Map();
  #length = 0;

  /** Returns the value, or a `BlobReference` if it is too large. */
  shorten(value: unknown): unknown {
    const text = JSON.stringify(value);
    if (text.length <= MAX_PAGE_MESSAGE) return value;
    const blob = randomUUID();
    this.#texts.set(blob, text);
    this.#length += text.length;
    for (const oldest of this.#texts.keys()) {
      const fits = this.#texts.size <= MAX_WAITING && this.#length <= MAX_WAITING_LENGTH;
      if (fits || oldest === blob) break;
      this.take(oldest);
    }
    return { blob, bytes: Buffer.byteLength(text) };
  }

  /** Removes a result, and returns its JSON text; undefined if it was fetched or evicted. */
  take(blob: string): string | undefined {
    const text = this.#texts.get(blob);
    this.#length -= text?.length ?? 0;
    this.#texts.delete(blob);
    return text;
  }
}
