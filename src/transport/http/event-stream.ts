/** One stream of server-sent events. If its events have ids, another connection can resume it. */
import { isPromise } from '../../jsonrpc/message.ts';
import type { IdleListener, KeepAlive } from '../../peer/keep-alive.ts';
import type { LoggedEvent } from './event-log.ts';
import type { LimitedEventLog } from './limit-stores.ts';
import type { EventSink, HeaderList, HttpReply } from './view.ts';
import { writeKeepAlive } from './write-keep-alive.ts';

export interface StreamSettings {
  readonly keepAlive: KeepAlive;
  readonly maxQueueBytes: number;
  /** Assigns ids to events and logs them. Absent if the stream cannot be resumed. */
  readonly journal?: Journal | undefined;
  /** Maximum number of events held while no client is connected. Default: 0, because most streams belong to one connection. */
  readonly holds?: number | undefined;
  /** Called when the connection is lost, or aborted because the client reads too slowly. */
  readonly onLost?: (() => void) | undefined;
  /** Called when the stream ends. */
  readonly onEnd?: (() => void) | undefined;
}

/** The HTTP response that carries a stream. */
export interface StreamConnection {
  readonly reply: HttpReply;
  /** Headers of the response, in addition to those of every stream. */
  readonly headers?: HeaderList | undefined;
  /** Calls `run` when the token of the request expires. The returned function cancels that. */
  readonly expiry?: ((run: () => void) => () => void) | undefined;
}

export interface Journal {
  readonly log: LimitedEventLog;
  /** The stream's name on the wire, unique within its session. */
  readonly name: string;
  /** The stream's name in the log. */
  readonly key: string;
  /** Called when an append fails. */
  readonly onFailed?: (thrown: unknown) => void;
  /** If set, the stream starts with an empty event, which gives the client an id to resume from, and this retry delay. */
  readonly primingMs?: number | undefined;
}

export class EventStream implements IdleListener {
  due: number | undefined;
  earlier: IdleListener | undefined;
  later: IdleListener | undefined;
  readonly #settings: StreamSettings;
  #sink: EventSink | undefined;
  #seq = 0;
  #over = false;
  #held: { readonly event: LoggedEvent; readonly name: string | undefined }[] = [];
  /** `broken`: an append failed. `gap`: the log lacks an event, so the stream cannot be resumed from before it. */
  #log: 'kept' | 'broken' | 'gap' = 'kept';
  /** Resolves when the pending appends are finished. */
  #logging: Promise<void> | undefined;
  #stopExpiry: (() => void) | undefined;

  constructor(settings: StreamSettings) {
    this.#settings = settings;
  }

  get connected(): boolean {
    return this.#sink !== undefined;
  }

  /** Sends the stream over this connection, and ends the previous one. `sink` can already contain text. */
  open(connection: StreamConnection, sink: EventSink = connection.reply.stream(connection.headers)): void {
    const { journal } = this.#settings;
    const before = this.#seq - this.#held.length;
    if (journal?.primingMs !== undefined)
      sink.write(`id: ${journal.name}.${before}\nretry: ${journal.primingMs}\ndata:\n\n`);
    for (const { event, name } of this.#held) sink.write(formatEvent(event, name));
    this.#connect(sink, connection);
  }

  /** Continues over this connection, which has all events so far. */
  #connect(sink: EventSink, { reply, expiry }: StreamConnection): void {
    this.#held = [];
    this.#sink?.end();
    this.#drop();
    this.#sink = sink;
    this.#settings.keepAlive.add(this);
    reply.onGone(() => this.#lost(sink));
    this.#stopExpiry = expiry?.(() => {
      sink.end();
      this.#lost(sink);
    });
  }

  send(data: string, last = false): void {
    if (this.#over) return;
    const { journal, holds = 0 } = this.#settings;
    // While no client is connected, equal events (such as change notifications) are held once.
    if (this.#sink === undefined && this.#held.some(({ event }) => event.data === data)) return;
    const seq = ++this.#seq;
    const event: LoggedEvent = last ? { seq, data, last } : { seq, data };
    const name = journal !== undefined && this.#append(journal, event) ? journal.name : undefined;
    if (this.#sink !== undefined) this.#write(formatEvent(event, name));
    else if (this.#held.push({ event, name }) > holds) this.#held.shift();
    if (last) this.end();
  }

  /** Writes the events after `after`, then continues over this connection. Resolves with false if some of them are lost. */
  async resume(after: number, connection: StreamConnection): Promise<boolean> {
    const { journal } = this.#settings;
    if (journal === undefined) return false;
    let sink: EventSink | undefined;
    // More events can be sent while the log is read.
    for (let at = after; at < this.#seq; ) {
      const until = this.#seq;
      await this.#logging;
      const missed = await journal.log.read(journal.key, at);
      // After a failed append, the log can have a gap.
      if (!missed?.every(({ seq }, i) => seq === at + 1 + i) || at + missed.length < until) {
        // The events written so far have no gap. The client learns of the loss when it resumes again.
        sink?.abort();
        return sink !== undefined;
      }
      sink ??= connection.reply.stream(connection.headers);
      if (!writeMissed(sink, missed, journal.name, this.#settings.maxQueueBytes)) return true;
      at += missed.length;
    }
    sink ??= connection.reply.stream(connection.headers);
    if (this.#over) sink.end();
    else this.#connect(sink, connection);
    return true;
  }

  onIdle(): void {
    if (this.#sink !== undefined) writeKeepAlive(this.#sink);
  }

  /** Closes the connection but not the stream: the client reconnects for the rest. */
  release(retryMs: number): void {
    this.#write(`retry: ${retryMs}\n\n`);
    this.#sink?.end();
    this.#drop();
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#settings.onEnd?.();
    this.#sink?.end();
    this.#drop();
  }

  /**
   * Logs an event. Returns whether to send it with an id: an event that is not logged has none. After a failed append, the next event
   * is left out, so that a client that resumes from before this gap learns of the loss instead of getting an event twice. Further
   * events are appended again, to detect when the log works.
   */
  #append(journal: Journal, event: LoggedEvent): boolean {
    if (this.#log === 'broken') {
      this.#log = 'gap';
      return false;
    }
    const wasKept = this.#log === 'kept';
    const { log, key } = journal;
    try {
      const appending = log.append(key, event, this.#logging);
      if (isPromise(appending)) this.#logging = this.#noteAppended(appending, journal);
      else this.#log = 'kept';
      return wasKept;
    } catch (thrown) {
      this.#log = 'gap';
      journal.onFailed?.(thrown);
      return false;
    }
  }

  /** Tracks an asynchronous append; never rejects. */
  async #noteAppended(appending: PromiseLike<void>, { onFailed }: Journal): Promise<void> {
    try {
      await appending;
      if (this.#log === 'gap') this.#log = 'kept';
    } catch (thrown) {
      if (this.#log === 'kept') this.#log = 'broken';
      onFailed?.(thrown);
    }
  }

  #write(text: string): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    // Checked before writing, so that one large message does not count as a slow client.
    if (sink.queued <= this.#settings.maxQueueBytes) sink.write(text);
    else {
      sink.abort();
      this.#lost(sink);
    }
  }

  #lost(sink: EventSink): void {
    if (this.#sink !== sink) return;
    this.#drop();
    this.#settings.onLost?.();
  }

  #drop(): void {
    this.#settings.keepAlive.remove(this);
    this.#sink = undefined;
    this.#stopExpiry?.();
    this.#stopExpiry = undefined;
  }
}

/**
 * Writes the events of a stream that is resumed. A client could resume it on many connections and read none of them, so each gets as
 * much as may be unread. Then the connection ends, and the client resumes from there. Returns whether all events were written.
 */
export function writeMissed(
  sink: EventSink,
  missed: readonly LoggedEvent[],
  name: string,
  maxQueueBytes: number,
): boolean {
  let left = maxQueueBytes;
  for (const event of missed) {
    if (left < 0) {
      sink.end();
      return false;
    }
    left -= event.data.length;
    sink.write(formatEvent(event, name));
  }
  return true;
}

/** Serializes an event, with an id if the stream has a name. */
export const formatEvent = ({ seq, data }: LoggedEvent, name: string | undefined): string =>
  name === undefined ? `data: ${data}\n\n` : `id: ${name}.${seq}\ndata: ${data}\n\n`;
