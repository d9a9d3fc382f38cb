/** One stream of events. Where events have ids, another connection can resume it. */
import { isPromise } from '../../jsonrpc/message.ts';
import type { IdleListener, KeepAlive } from '../../peer/keep-alive.ts';
import type { LoggedEvent } from './event-log.ts';
import type { LimitedEventLog } from './limit-stores.ts';
import type { EventSink, HeaderList, HttpReply } from './view.ts';
import { writeKeepAlive } from './write-keep-alive.ts';

export interface StreamSettings {
  readonly keepAlive: KeepAlive;
  readonly maxQueueBytes: number;
  /** Gives events ids and keeps them; absent where a stream cannot be resumed. */
  readonly journal?: Journal | undefined;
  /** Events to hold while no client is connected: none by default, since most streams belong to a connection. */
  readonly holds?: number | undefined;
  /** The connection was lost, or was aborted because the reader is too slow. */
  readonly onLost?: (() => void) | undefined;
  /** The last event has been sent. */
  readonly onEnd?: (() => void) | undefined;
}

/** What a stream is sent over. */
export interface StreamConnection {
  readonly reply: HttpReply;
  /** Sent with the response, besides what all responses have. */
  readonly headers?: HeaderList | undefined;
  /** Calls back when the token of its request expires, unless the returned function is called first. */
  readonly expiry?: ((run: () => void) => () => void) | undefined;
}

export interface Journal {
  readonly log: LimitedEventLog;
  /** The stream's name on the wire, unique within its session. */
  readonly name: string;
  /** The stream's name in the log. */
  readonly key: string;
  /** The log failed. */
  readonly onFailed?: (thrown: unknown) => void;
  /** Starts with an empty event, so that the client has an id from the beginning; and says when to come back. */
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
  /** `broken`: the log failed. `gap`: an event was left out of it, so that nothing before that can be resumed. */
  #log: 'kept' | 'broken' | 'gap' = 'kept';
  /** What has been handed to the log and may not be in it yet. */
  #logging: Promise<void> | undefined;
  #stopExpiry: (() => void) | undefined;

  constructor(settings: StreamSettings) {
    this.#settings = settings;
  }

  get connected(): boolean {
    return this.#sink !== undefined;
  }

  /** Starts sending over this connection; one that was there before is ended. `sink` may have been written to already. */
  open(connection: StreamConnection, sink: EventSink = connection.reply.stream(connection.headers)): void {
    const { journal } = this.#settings;
    const before = this.#seq - this.#held.length;
    if (journal?.primingMs !== undefined)
      sink.write(`id: ${journal.name}.${before}\nretry: ${journal.primingMs}\ndata:\n\n`);
    for (const { event, name } of this.#held) sink.write(formatEvent(event, name));
    this.#connect(sink, connection);
  }

  /** Goes on over this connection, which has everything up to now. */
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
    // A client that is away needs each notification of a change once.
    if (this.#sink === undefined && this.#held.some(({ event }) => event.data === data)) return;
    const seq = ++this.#seq;
    const event: LoggedEvent = last ? { seq, data, last } : { seq, data };
    const name = journal !== undefined && this.#keep(journal, event) ? journal.name : undefined;
    if (this.#sink !== undefined) this.#write(formatEvent(event, name));
    else if (this.#held.push({ event, name }) > holds) this.#held.shift();
    if (last) this.end();
  }

  /** Writes what was missed, then goes on over this connection. False when some of it is lost. */
  async resume(after: number, connection: StreamConnection): Promise<boolean> {
    const { journal } = this.#settings;
    if (journal === undefined) return false;
    let sink: EventSink | undefined;
    // More can be sent while the log is being read.
    for (let at = after; at < this.#seq; ) {
      const until = this.#seq;
      await this.#logging;
      const missed = await journal.log.read(journal.key, at);
      // A log that failed to keep an event can have those before and after it.
      if (!missed?.every(({ seq }, i) => seq === at + 1 + i) || at + missed.length < until) {
        // What was sent is whole; the client learns of the loss when it comes back.
        sink?.abort();
        return sink !== undefined;
      }
      sink ??= connection.reply.stream(connection.headers);
      for (const event of missed) sink.write(formatEvent(event, journal.name));
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

  /** Ends the connection and leaves the stream: the client comes back for the rest. */
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
   * Whether the event has an id. What cannot be kept is sent without one. The first such event is left out of the log: a client that
   * resumes before the gap learns that something is lost, and never gets an event twice. Later ones show when the log is back.
   */
  #keep(journal: Journal, event: LoggedEvent): boolean {
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

  /** Never rejects. */
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
    // Looked at before writing: one large message is not a slow reader.
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

/** An event as it is written; with an id where the stream has a name. */
export const formatEvent = ({ seq, data }: LoggedEvent, name: string | undefined): string =>
  name === undefined ? `data: ${data}\n\n` : `id: ${name}.${seq}\ndata: ${data}\n\n`;
