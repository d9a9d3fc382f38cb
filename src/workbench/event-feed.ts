/** What pages are told, in order and with growing ids: a page that comes back gets what it missed. */
import { notification } from '../jsonrpc/message.ts';
import type { EventName, WorkbenchEvents } from './protocol-events.ts';

/** Events that a page can have missed. One that missed more asks for everything. */
const MAX_KEPT = 2_000;
/** Characters of them, all together. What is kept for long in a flood of messages is what the process grows by. */
const MAX_KEPT_LENGTH: number = 1024 * 1024;
/** A larger event is left out, and pages ask for everything. */
export const MAX_PAGE_MESSAGE: number = 1024 * 1024;

interface KeptEvent {
  readonly id: number;
  readonly text: string;
}

export interface FeedReader {
  /** An event as it is written to a stream. */
  write(text: string): void;
}

export class EventFeed {
  /** Another process counts from the beginning: its ids mean other events. */
  readonly process: string;
  readonly #kept: KeptEvent[] = [];
  readonly #readers: Set<FeedReader> = new Set();
  #length = 0;
  #lastId = 0;
  #isOver = false;

  constructor(process: string) {
    this.process = process;
  }

  get lastId(): number {
    return this.#lastId;
  }

  get readers(): number {
    return this.#readers.size;
  }

  emit<E extends EventName>(name: E, params: WorkbenchEvents[E]): void {
    // What closes after the end is no news: a page keeps what it shows.
    if (this.#isOver) return;
    this.#isOver = name === 'end';
    const id = ++this.#lastId;
    const text = eventText(id, name, params);
    if (text.length > MAX_PAGE_MESSAGE) {
      this.emit('reload', { process: this.process });
      return;
    }
    this.#kept.push({ id, text });
    this.#length += text.length;
    while (this.#kept.length > MAX_KEPT || this.#length > MAX_KEPT_LENGTH)
      this.#length -= this.#kept.shift()?.text.length ?? 0;
    for (const reader of this.#readers) reader.write(text);
  }

  /** From the event after `since`, or from now on. The returned function stops it. */
  read(reader: FeedReader, since: number | undefined): () => void {
    const first = this.#kept[0]?.id ?? this.#lastId + 1;
    if (since !== undefined && (since > this.#lastId || since + 1 < first))
      reader.write(eventText(this.#lastId, 'reload', { process: this.process }));
    else if (since !== undefined) for (const { id, text } of this.#kept) if (id > since) reader.write(text);
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }
}

const eventText = <E extends EventName>(id: number, name: E, params: WorkbenchEvents[E]): string =>
  `id: ${id}\ndata: ${JSON.stringify(notification(name, { ...params }))}\n\n`;
