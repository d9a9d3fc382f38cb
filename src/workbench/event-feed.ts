/** Sends events to pages, with increasing ids: a page that reconnects gets the events that it missed. */
import { notification } from '../jsonrpc/message.ts';
import type { EventName, WorkbenchEvents } from './protocol-events.ts';

/** Maximum number of events that can be replayed. A page that missed more must reload its state. */
const MAX_KEPT = 2_000;
/** Maximum total length of the replayable events, in characters. Limits memory during a flood of messages. */
const MAX_KEPT_LENGTH: number = 1024 * 1024;
/** Maximum length of an event or response, in characters. A larger event is replaced by `reload`. */
export const MAX_PAGE_MESSAGE: number = 1024 * 1024;

interface KeptEvent {
  readonly id: number;
  readonly text: string;
}

export interface FeedReader {
  /** Writes an event, already in SSE format. */
  write(text: string): void;
}

export class EventFeed {
  /** Identifies this process: event ids of another process are unrelated. */
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
    // Servers that close during shutdown are not reported: the page keeps displaying them.
    if (this.#isOver) return;
    this.#isOver = name === 'end';
    const id = ++this.#lastId;
    const text = eventText(id, name, params);
    if (text.length > MAX_PAGE_MESSAGE) {
      this.emit('reload', { process: this.process, missed: false });
      return;
    }
    this.#kept.push({ id, text });
    this.#length += text.length;
    while (this.#kept.length > MAX_KEPT || this.#length > MAX_KEPT_LENGTH)
      this.#length -= this.#kept.shift()?.text.length ?? 0;
    for (const reader of this.#readers) reader.write(text);
  }

  /** Replays events after `since`, if given, then sends new ones. Returns a function that unsubscribes. */
  read(reader: FeedReader, since: number | undefined): () => void {
    const first = this.#kept[0]?.id ?? this.#lastId + 1;
    if (since !== undefined && (since > this.#lastId || since + 1 < first))
      reader.write(eventText(this.#lastId, 'reload', { process: this.process, missed: true }));
    else if (since !== undefined) for (const { id, text } of this.#kept) if (id > since) reader.write(text);
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }
}

const eventText = <E extends EventName>(id: number, name: E, params: WorkbenchEvents[E]): string =>
  `id: ${id}\ndata: ${JSON.stringify(notification(name, { ...params }))}\n\n`;
