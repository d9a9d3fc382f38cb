/** Every message and HTTP exchange of a workbench: a row in memory for each, its text in a store, and the spans that rows belong to. */
import { isRequest, isResponse, type JsonObject, type Message, type RpcRequest } from '../jsonrpc/message.ts';
import { cutText } from '../model/cut-text.ts';
import { CANCELLED, LISTEN } from '../model/names.ts';
import { MASK } from '../model/secrets.ts';
import { setNewest } from '../peer/set-newest.ts';
import { messageSummary, subjectOf } from '../recording/message-summary.ts';
import { FilteredRows } from './filtered-rows.ts';
import { MessageStore } from './message-store.ts';
import { nameOfRequest } from './name-of-request.ts';
import type { MessageRow, SpanRow, TimelineFilter } from './protocol-timeline.ts';
import { RowTable } from './row-table.ts';

/** What comes after these is not kept: a session of days is recorded to a file. */
const MAX_ROWS = 1_000_000;
/** Filters whose matches are kept. */
const MAX_FILTERS = 8;
/** Messages whose secrets can still be shown. */
const MAX_ORIGINALS = 500;
/** Characters of them, all together. */
const MAX_ORIGINALS_LENGTH: number = 32 * 1024 * 1024;
/** Characters of a message that is read to say what it says. */
const MAX_SUMMARIZED: number = 64 * 1024;
/** A server can call a method whatever it likes. */
const MAX_METHOD = 200;

export interface HeardMessage {
  readonly server: string;
  readonly at: number;
  readonly side: '>' | '<';
  readonly message: Message;
  /** Without secrets. */
  readonly masked: Message;
  readonly answers?: { readonly request: RpcRequest; readonly ms: number } | undefined;
  readonly during?: RpcRequest | undefined;
  readonly ref?: string | undefined;
  readonly act?: string | undefined;
}
export interface HeardHttp {
  readonly server: string;
  readonly at: number;
  readonly exchange: {
    readonly method: string;
    readonly status?: number;
    readonly ms: number;
    readonly failed?: string;
  };
}
export interface HistoryListener {
  row(row: MessageRow): void;
  span(span: SpanRow): void;
}

export class History {
  readonly #table: RowTable = new RowTable();
  readonly #store: MessageStore = new MessageStore();
  /** By the request itself: ids of several connections are the same. */
  readonly #open: WeakMap<RpcRequest, number> = new WeakMap();
  readonly #byRef: Map<string, number[]> = new Map();
  /** The requests of ours to each server that are open, streams among them, oldest first. */
  readonly #asked: Map<string, Set<number>> = new Map();
  readonly #originals: Map<number, { readonly message: Message; readonly length: number }> = new Map();
  #originalsLength = 0;
  readonly #filters: Map<string, FilteredRows> = new Map();
  readonly #listener: HistoryListener;

  constructor(listener: HistoryListener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#table.size;
  }

  add(heard: HeardMessage): void {
    if (this.size >= MAX_ROWS) return;
    const { server, at, side, message, masked, answers } = heard;
    const id = this.size + 1;
    const text = JSON.stringify(masked);
    const request = answers?.request ?? (isRequest(message) ? message : undefined);
    const span = this.#spanOf(heard, id);
    const opened = span === undefined ? undefined : this.#table.span(span);
    const row: MessageRow = {
      id,
      at,
      server,
      side,
      span,
      // As long as its span, so that lists, lanes and percentiles say the same.
      ms: answers === undefined || opened === undefined ? answers?.ms : at - opened.from,
      isError: isFailed(message),
      bytes: text.length,
      kind: isRequest(message) ? 'request' : isResponse(message) ? 'response' : 'notification',
      method: cutText(request?.method ?? ('method' in message ? message.method : ''), MAX_METHOD),
      // A URI can have a password in it.
      subject: this.#subjectOf(heard, opened),
    };
    if (text.includes(MASK)) this.#keepOriginal(id, message, text.length);
    this.#push(row, text);
    this.#noteSpan(heard, row);
  }

  #keepOriginal(id: number, message: Message, length: number): void {
    this.#originals.set(id, { message, length });
    this.#originalsLength += length;
    for (const [oldest, gone] of this.#originals) {
      if (this.#originals.size <= MAX_ORIGINALS && this.#originalsLength <= MAX_ORIGINALS_LENGTH) return;
      this.#originals.delete(oldest);
      this.#originalsLength -= gone.length;
    }
  }

  addHttp({ server, at, exchange }: HeardHttp): void {
    if (this.size >= MAX_ROWS) return;
    const { method, status, ms, failed } = exchange;
    const text = JSON.stringify(exchange);
    const isError = failed !== undefined || (status ?? 0) >= 400;
    const about = { id: this.size + 1, at, server, side: 'http', kind: 'http' } as const;
    this.#push({ ...about, method: `${method} ${status ?? 'failed'}`, ms, isError, bytes: text.length }, text);
  }

  row(id: number): MessageRow | undefined {
    return this.#table.row(id);
  }

  /** As it was shown: masked. */
  text(id: number): string {
    return this.#store.get(id - 1);
  }

  /** As it was sent, where its secrets are still known. */
  original(id: number): Message | undefined {
    return this.#originals.get(id)?.message;
  }

  span(id: number): SpanRow | undefined {
    return this.#table.span(id);
  }

  /** Newest first. */
  *spans(): Generator<SpanRow> {
    for (let id = this.size; id > 0; id--) {
      const span = this.#table.span(id);
      if (span !== undefined) yield span;
    }
  }

  /** The spans of what a page asked for under this id, oldest first. */
  spansOf(ref: string): readonly SpanRow[] {
    return (this.#byRef.get(ref) ?? []).flatMap((id) => this.#table.span(id) ?? []);
  }

  /** The message that ended a span, masked; undefined while it is open. */
  response(span: number): JsonObject | undefined {
    const id = this.#table.answerOf(span);
    return id === undefined ? undefined : (JSON.parse(this.text(id)) as JsonObject); // a message
  }

  /** The first message of an act; the newest of those that look alike. */
  spanOfAct(act: string): number | undefined {
    for (const span of this.spans()) if (span.act === act) return span.id;
    return undefined;
  }

  setAct(ref: string, act: string): void {
    for (const { id } of this.spansOf(ref)) {
      this.#table.setAsked(id, { act });
      this.#tellSpan(id);
    }
  }

  /** Its connection is over: what is still open there gets no response. */
  lose(server: string, at: number): void {
    for (const id of this.#asked.get(server) ?? []) {
      this.#table.setLost(id, at);
      this.#tellSpan(id);
    }
    this.#asked.delete(server);
  }

  /** The last message that came from a server. */
  lastFrom(server: string): MessageRow | undefined {
    for (let id = this.size; id > 0; id--) {
      const row = this.#table.row(id);
      if (row?.server === server && row.side === '<') return row;
    }
    return undefined;
  }

  /** All messages of a server, oldest first. */
  *messagesOf(server: string): Generator<MessageRow> {
    for (let id = 1; id <= this.size; id++) {
      const row = this.#table.row(id);
      if (row?.server === server && row.side !== 'http') yield row;
    }
  }

  page(filter: TimelineFilter, offset: number | undefined, limit: number): HistoryPage {
    const key = JSON.stringify(filter);
    const found = this.#filters.get(key) ?? new FilteredRows(filter);
    setNewest(this.#filters, key, found, MAX_FILTERS);
    const ids = found.extend(this.#table, this.#store);
    const from = Math.max(0, Math.min(offset ?? ids.length - limit, ids.length));
    const rows = ids.slice(from, from + limit).flatMap((id) => this.#rowInWords(id) ?? []);
    return { rows, offset: from, total: ids.length };
  }

  #rowInWords(id: number): MessageRow | undefined {
    const row = this.row(id);
    if (row === undefined) return row;
    if (row.bytes > MAX_SUMMARIZED) return { ...row, what: 'too large to summarize' };
    return { ...row, what: messageSummary(JSON.parse(this.text(id)) as JsonObject) }; // a message
  }

  close(): void {
    this.#store.close();
  }

  #push(row: MessageRow, text: string): void {
    this.#table.push(row);
    this.#store.add(text);
    this.#listener.row(row);
  }

  /** A cancellation is about the request that it cancels: the id of one says nothing to a reader. */
  #subjectOf({ masked, answers }: HeardMessage, span: SpanRow | undefined): string | undefined {
    if (answers !== undefined) return span?.subject;
    const isCancelled = span !== undefined && 'method' in masked && masked.method === CANCELLED;
    return isCancelled ? nameOfRequest(span) : subjectOf(masked);
  }

  /** A response and what is said in between belong to their request. */
  #spanOf(heard: HeardMessage, id: number): number | undefined {
    const { message, answers, during } = heard;
    if (answers !== undefined) return this.#open.get(answers.request);
    if (isRequest(message)) return id;
    return (during === undefined ? undefined : this.#open.get(during)) ?? this.#cancelled(heard);
  }

  #noteSpan({ server, side, message, answers, during, ref, act }: HeardMessage, { id, span }: MessageRow): void {
    const asked = this.#asked.get(server) ?? new Set();
    this.#asked.set(server, asked);
    if (answers !== undefined && span !== undefined) {
      this.#table.setAnswer(span, id);
      asked.delete(span);
    }
    if (isRequest(message)) {
      this.#open.set(message, id);
      // Where the transport does not say what a question is about, it is about the last request that waits.
      const last = side === '<' ? [...asked].findLast((one) => this.row(one)?.method !== LISTEN) : undefined;
      this.#table.setAsked(id, { parent: during === undefined ? last : this.#open.get(during), ref, act });
      if (side === '>') asked.add(id);
      if (ref !== undefined) this.#byRef.set(ref, [...(this.#byRef.get(ref) ?? []), id]);
    }
    if (span !== undefined && (answers !== undefined || span === id)) this.#tellSpan(span);
  }

  /** `notifications/cancelled` belongs to the request that it names. Ids of other connections, and of the other side, are the same. */
  #cancelled({ message, server, side, at }: HeardMessage): number | undefined {
    const wanted = 'method' in message && message.method === CANCELLED ? message.params?.['requestId'] : undefined;
    if (wanted === undefined) return undefined;
    for (const span of this.spans()) {
      if (span.to !== undefined || span.server !== server || span.side !== side) continue;
      if (JSON.stringify(wanted) !== this.#idOf(span.id)) continue;
      this.#table.setCancelled(span.id, at);
      this.#asked.get(server)?.delete(span.id);
      this.#tellSpan(span.id);
      return span.id;
    }
    return undefined;
  }

  #idOf(id: number): string {
    const { id: own } = JSON.parse(this.text(id)) as { readonly id?: unknown }; // a request
    return JSON.stringify(own);
  }

  #tellSpan(id: number): void {
    const span = this.#table.span(id);
    if (span !== undefined) this.#listener.span(span);
  }
}

export interface HistoryPage {
  readonly rows: readonly MessageRow[];
  readonly offset: number;
  readonly total: number;
}

/** A tool that says that it failed has failed too. */
const isFailed = (message: Message): boolean =>
  'error' in message || ('result' in message && message.result['isError'] === true);
