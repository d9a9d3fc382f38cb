/** Stores every message and HTTP exchange of the session: rows and spans in memory, texts in a temporary file. */
import { isRequest, isResponse, type JsonObject, type Message, type RpcRequest } from '../jsonrpc/message.ts';
import { cutText } from '../model/cut-text.ts';
import { CANCELLED, LISTEN } from '../model/names.ts';
import { MASK } from '../model/secrets.ts';
import { setNewest } from '../peer/set-newest.ts';
import type { TracedHttp } from '../recording/http-tap.ts';
import { messageSummary, subjectOf } from '../recording/message-summary.ts';
import { FilteredRows } from './filtered-rows.ts';
import { MessageStore } from './message-store.ts';
import { nameOfRequest } from './name-of-request.ts';
import type { MessageRow, SpanRow, TimelineFilter } from './protocol-timeline.ts';
import { RowTable } from './row-table.ts';
import { UnmaskedMessages } from './unmasked-messages.ts';

/** Later messages are dropped and counted, except responses to stored requests; a longer session should be recorded to a file. */
const MAX_ROWS = 1_000_000;
/** Number of filters whose matches are cached. */
const MAX_FILTERS = 8;
/** Messages above this many characters are not parsed for a summary. */
const MAX_SUMMARIZED: number = 64 * 1024;
/** Maximum length of a method name, which a server can choose freely. */
const MAX_METHOD = 200;

export interface HistoryMessage {
  readonly server: string;
  readonly at: number;
  readonly side: '>' | '<';
  readonly message: Message;
  /** The message with secrets masked. */
  readonly masked: Message;
  readonly answers?: { readonly request: RpcRequest; readonly ms: number } | undefined;
  readonly during?: RpcRequest | undefined;
  readonly ref?: string | undefined;
  readonly act?: string | undefined;
}
export interface HistoryHttp {
  readonly server: string;
  readonly at: number;
  /** Masked. */
  readonly exchange: Pick<TracedHttp, 'method' | 'status' | 'ms' | 'failed'>;
}
export interface HistoryListener {
  onRow(row: MessageRow): void;
  onSpan(span: SpanRow): void;
  /** A message was not stored, because the history is full. */
  onDropped(): void;
}

export class History {
  readonly #table: RowTable = new RowTable();
  readonly #store: MessageStore = new MessageStore();
  /** Keyed by the request object, because ids repeat across connections. */
  readonly #requestIds: WeakMap<RpcRequest, number> = new WeakMap();
  readonly #byRef: Map<string, number[]> = new Map();
  /** Spans of open requests, including streams, oldest first: by sender and server, then by JSON-RPC id. */
  readonly #openRequests: Map<string, Map<string, number>> = new Map();
  readonly #unmasked: UnmaskedMessages = new UnmaskedMessages();
  readonly #filters: Map<string, FilteredRows> = new Map();
  readonly #listener: HistoryListener;
  readonly #maxRows: number;
  /** Number of messages that were not stored. */
  dropped = 0;

  constructor(listener: HistoryListener, maxRows: number = MAX_ROWS) {
    this.#listener = listener;
    this.#maxRows = maxRows;
  }

  get size(): number {
    return this.#table.size;
  }

  add(added: HistoryMessage): void {
    const { server, at, side, message, masked, answers } = added;
    const endsSpan = answers !== undefined && this.#requestIds.has(answers.request);
    if (!endsSpan && !this.#hasRoom()) return;
    const id = this.size + 1;
    const text = JSON.stringify(masked);
    const request = answers?.request ?? (isRequest(message) ? message : undefined);
    const span = this.#spanOf(added, id);
    const opened = span === undefined ? undefined : this.#table.span(span);
    const row: MessageRow = {
      id,
      at,
      server,
      side,
      span,
      // The same duration as the span, so that lists, lanes and percentiles agree.
      ms: answers === undefined || opened === undefined ? answers?.ms : at - opened.from,
      isError: isFailed(message),
      bytes: text.length,
      kind: isRequest(message) ? 'request' : isResponse(message) ? 'response' : 'notification',
      method: cutText(request?.method ?? ('method' in message ? message.method : ''), MAX_METHOD),
      subject: this.#subjectOf(added, opened),
    };
    if (text.includes(MASK)) this.#unmasked.add(id, message, text.length);
    this.#push(row, text);
    this.#updateSpan(added, row);
  }

  addHttp({ server, at, exchange }: HistoryHttp): void {
    if (!this.#hasRoom()) return;
    const { method, status, ms, failed } = exchange;
    const text = JSON.stringify(exchange);
    const isError = failed !== undefined || (status ?? 0) >= 400;
    const about = { id: this.size + 1, at, server, side: 'http', kind: 'http' } as const;
    this.#push({ ...about, method: `${method} ${status ?? 'failed'}`, ms, isError, bytes: text.length }, text);
  }

  row(id: number): MessageRow | undefined {
    return this.#table.row(id);
  }

  /** The text of a row, masked. */
  text(id: number): string {
    return this.#store.get(id - 1);
  }

  /** The message without masks; undefined if it was evicted or had no secrets. */
  original(id: number): Message | undefined {
    return this.#unmasked.get(id);
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

  /** The spans of the page's action with this id, oldest first. */
  spansOf(ref: string): readonly SpanRow[] {
    return (this.#byRef.get(ref) ?? []).flatMap((id) => this.#table.span(id) ?? []);
  }

  /** The response of a span, masked; undefined without one. */
  response(span: number): JsonObject | undefined {
    const id = this.#table.answerOf(span);
    return id === undefined ? undefined : (JSON.parse(this.text(id)) as JsonObject); // a message
  }

  /** The id of an action's newest span. */
  spanOfAct(act: string): number | undefined {
    for (const span of this.spans()) if (span.act === act) return span.id;
    return undefined;
  }

  setAct(ref: string, act: string): void {
    for (const { id } of this.spansOf(ref)) {
      this.#table.setContext(id, { act });
      this.#emitSpan(id);
    }
  }

  /** Ends all open spans of a server whose connection ended, of both sides. */
  endSpans(server: string, at: number): void {
    for (const side of ['>', '<'] as const) {
      const open = this.#openOf(side, server);
      for (const id of open.values()) {
        this.#table.setEndedAt(id, at);
        this.#emitSpan(id);
      }
      open.clear();
    }
  }

  /** The last message that the server sent. */
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
    const rows = ids.slice(from, from + limit).flatMap((id) => this.#summarizedRow(id) ?? []);
    return { rows, offset: from, total: ids.length };
  }

  #summarizedRow(id: number): MessageRow | undefined {
    const row = this.row(id);
    if (row === undefined) return row;
    if (row.bytes > MAX_SUMMARIZED) return { ...row, what: 'too large to summarize' };
    return { ...row, what: messageSummary(JSON.parse(this.text(id)) as JsonObject) }; // a message
  }

  close(): void {
    this.#store.close();
  }

  /** Counts the message as dropped if the history is full. */
  #hasRoom(): boolean {
    if (this.size < this.#maxRows) return true;
    this.dropped++;
    this.#listener.onDropped();
    return false;
  }

  #push(row: MessageRow, text: string): void {
    this.#table.push(row);
    this.#store.add(text);
    this.#listener.onRow(row);
  }

  /** The subject of a row, from the masked message. For a cancellation: the cancelled request in words, because its id means little. */
  #subjectOf({ masked, answers }: HistoryMessage, span: SpanRow | undefined): string | undefined {
    if (answers !== undefined) return span?.subject;
    const isCancelled = span !== undefined && 'method' in masked && masked.method === CANCELLED;
    return isCancelled ? nameOfRequest(span) : subjectOf(masked);
  }

  /** A response, and messages sent during a request, belong to the span of that request. */
  #spanOf(added: HistoryMessage, id: number): number | undefined {
    const { message, answers, during } = added;
    if (answers !== undefined) return this.#requestIds.get(answers.request);
    if (isRequest(message)) return id;
    return (during === undefined ? undefined : this.#requestIds.get(during)) ?? this.#cancelSpan(added);
  }

  #updateSpan({ server, side, message, answers, during, ref, act }: HistoryMessage, { id, span }: MessageRow): void {
    if (answers !== undefined && span !== undefined) {
      const [open, key] = [this.#openOf(side === '>' ? '<' : '>', server), JSON.stringify(answers.request.id)];
      this.#table.setAnswer(span, id);
      if (open.get(key) === span) open.delete(key);
    }
    if (isRequest(message)) {
      this.#requestIds.set(message, id);
      // If the transport does not associate a server's request with a call, assume the newest open request.
      const last = side === '<' ? this.#newestCall(server) : undefined;
      this.#table.setContext(id, { parent: during === undefined ? last : this.#requestIds.get(during), ref, act });
      const [open, key] = [this.#openOf(side, server), JSON.stringify(message.id)];
      open.delete(key); // ids can repeat, and the newest request is the last one
      open.set(key, id);
      if (ref !== undefined) this.#byRef.set(ref, [...(this.#byRef.get(ref) ?? []), id]);
    }
    if (span !== undefined && (answers !== undefined || span === id)) this.#emitSpan(span);
  }

  #openOf(side: '>' | '<', server: string): Map<string, number> {
    const key = `${side} ${server}`;
    const open = this.#openRequests.get(key) ?? new Map<string, number>();
    this.#openRequests.set(key, open);
    return open;
  }

  /** The newest open request to a server that is no stream. */
  #newestCall(server: string): number | undefined {
    return [...this.#openOf('>', server).values()].findLast((one) => this.row(one)?.method !== LISTEN);
  }

  /** Marks the span that a `notifications/cancelled` names, among the open ones of its sender. */
  #cancelSpan({ message, server, side, at }: HistoryMessage): number | undefined {
    const wanted = 'method' in message && message.method === CANCELLED ? message.params?.['requestId'] : undefined;
    const [open, key] = [this.#openOf(side, server), JSON.stringify(wanted) ?? ''];
    const span = open.get(key);
    if (span === undefined) return undefined;
    open.delete(key);
    this.#table.setCancelled(span, at);
    this.#emitSpan(span);
    return span;
  }

  #emitSpan(id: number): void {
    const span = this.#table.span(id);
    if (span !== undefined) this.#listener.onSpan(span);
  }
}

export interface HistoryPage {
  readonly rows: readonly MessageRow[];
  readonly offset: number;
  readonly total: number;
}

/** A result with `isError` counts as a failure. */
const isFailed = (message: Message): boolean =>
  'error' in message || ('result' in message && message.result['isError'] === true);
