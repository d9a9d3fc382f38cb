/** Every message and HTTP exchange of a workbench: a row in memory for each, its text in a store, and the spans that rows belong to. */
import { isRequest, isResponse, type JsonObject, type Message, type RpcRequest } from '../jsonrpc/message.ts';
import { maskPlaces } from './mask-places.ts';
import { MessageStore } from './message-store.ts';
import type { MessageRow, SpanRow, TimelineFilter } from './protocol-timeline.ts';
import { subjectOf } from './subject.ts';

/** What comes after these is not kept: a session of days is recorded to a file. */
const MAX_ROWS = 1_000_000;
/** Filters whose matches are kept. */
const MAX_FILTERS = 8;
/** Messages whose secrets can still be shown. */
const MAX_ORIGINALS = 500;

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
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface HistoryListener {
  row(row: MessageRow): void;
  span(span: SpanRow): void;
}

export class History {
  readonly #rows: MessageRow[] = [];
  readonly #store: MessageStore = new MessageStore();
  readonly #spans: Map<number, Mutable<SpanRow>> = new Map();
  /** By the request itself: ids of several connections are the same. */
  readonly #open: WeakMap<RpcRequest, number> = new WeakMap();
  /** The response of each span, and the spans of each id of a page. */
  readonly #answers: Map<number, number> = new Map();
  readonly #byRef: Map<string, number[]> = new Map();
  readonly #originals: Map<number, Message> = new Map();
  readonly #filters: Map<string, FilteredRows> = new Map();
  readonly #listener: HistoryListener;

  constructor(listener: HistoryListener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#rows.length;
  }

  add(heard: HeardMessage): void {
    if (this.#rows.length >= MAX_ROWS) return;
    const { server, at, side, message, masked, answers } = heard;
    const id = this.#rows.length + 1;
    const text = JSON.stringify(masked);
    const request = answers?.request ?? (isRequest(message) ? message : undefined);
    const span = this.#spanOf(heard, id);
    const row: MessageRow = {
      ...{ id, at, server, side, bytes: text.length, isError: isFailed(message) },
      kind: isRequest(message) ? 'request' : isResponse(message) ? 'response' : 'notification',
      method: request?.method ?? ('method' in message ? message.method : ''),
      ...definedOnly({ subject: subjectOf(request ?? message), span, ms: answers?.ms }),
    };
    if (maskPlaces(masked).length > 0) this.#keepOriginal(id, message);
    this.#push(row, text);
  }

  addHttp({ server, at, exchange }: HeardHttp): void {
    if (this.#rows.length >= MAX_ROWS) return;
    const { method, status, ms, failed } = exchange;
    const text = JSON.stringify(exchange);
    const isError = failed !== undefined || (status ?? 0) >= 400;
    const about = { id: this.#rows.length + 1, at, server, side: 'http', kind: 'http' } as const;
    this.#push({ ...about, method: `${method} ${status ?? 'failed'}`, ms, isError, bytes: text.length }, text);
  }

  row(id: number): MessageRow | undefined {
    return this.#rows[id - 1];
  }

  /** As it was shown: masked. */
  text(id: number): string {
    return this.#store.get(id - 1);
  }

  /** As it was sent, where its secrets are still known. */
  original(id: number): Message | undefined {
    return this.#originals.get(id);
  }

  span(id: number): SpanRow | undefined {
    return this.#spans.get(id);
  }

  /** Newest first. */
  *spans(): Generator<SpanRow> {
    for (let id = this.#rows.length; id > 0; id--) {
      const span = this.#spans.get(id);
      if (span !== undefined) yield span;
    }
  }

  /** The spans of what a page asked for under this id, oldest first. */
  spansOf(ref: string): readonly SpanRow[] {
    return (this.#byRef.get(ref) ?? []).flatMap((id) => this.#spans.get(id) ?? []);
  }

  /** The message that ended a span, masked; undefined while it is open. */
  response(span: number): JsonObject | undefined {
    const id = this.#answers.get(span);
    return id === undefined ? undefined : (JSON.parse(this.text(id)) as JsonObject); // a message
  }

  /** The first message of an act; the newest of those that look alike. */
  spanOfAct(act: string): number | undefined {
    for (const span of this.spans()) if (span.act === act) return span.id;
    return undefined;
  }

  setAct(ref: string, act: string): void {
    for (const { id } of this.spansOf(ref)) this.#changeSpan(id, { act });
  }

  /** The last message that came from a server. */
  lastFrom(server: string): MessageRow | undefined {
    return this.#rows.findLast((row) => row.server === server && row.side === '<');
  }

  /** All messages of a server, oldest first. */
  *messagesOf(server: string): Generator<MessageRow> {
    for (const row of this.#rows) if (row.server === server && row.side !== 'http') yield row;
  }

  page(filter: TimelineFilter, offset: number | undefined, limit: number): HistoryPage {
    const key = JSON.stringify(filter);
    const found = this.#filters.get(key) ?? new FilteredRows(filter);
    this.#filters.delete(key);
    this.#filters.set(key, found);
    const [oldest] = this.#filters.keys();
    if (this.#filters.size > MAX_FILTERS && oldest !== undefined) this.#filters.delete(oldest);
    const ids = found.extend(this.#rows, this.#store);
    const from = Math.max(0, Math.min(offset ?? ids.length - limit, ids.length));
    const rows = ids.slice(from, from + limit).flatMap((id) => this.#rows[id - 1] ?? []);
    return { rows, offset: from, total: ids.length };
  }

  close(): void {
    this.#store.close();
  }

  #push(row: MessageRow, text: string): void {
    this.#rows.push(row);
    this.#store.add(text);
    this.#listener.row(row);
  }

  #spanOf({ server, at, side, message, answers, during, ref, act }: HeardMessage, id: number): number | undefined {
    if (answers !== undefined) {
      const span = this.#open.get(answers.request);
      if (span !== undefined) this.#answers.set(span, id);
      if (span !== undefined) this.#changeSpan(span, { to: at, isError: isFailed(message) });
      return span;
    }
    const parent = during === undefined ? undefined : this.#open.get(during);
    if (!isRequest(message)) return parent ?? this.#cancelled(message);
    this.#open.set(message, id);
    const about = { id, server, side, method: message.method, from: at, isError: false, cancelled: false };
    const span = { ...about, ...definedOnly({ subject: subjectOf(message), parent, ref, act }) };
    this.#spans.set(id, span);
    if (ref !== undefined) this.#byRef.set(ref, [...(this.#byRef.get(ref) ?? []), id]);
    this.#listener.span(span);
    return id;
  }

  /** `notifications/cancelled` belongs to the request that it names. */
  #cancelled(message: Message): number | undefined {
    const wanted = 'method' in message ? message.params?.['requestId'] : undefined;
    if (wanted === undefined) return undefined;
    for (const span of this.spans()) {
      if (span.to !== undefined || JSON.stringify(wanted) !== this.#idOf(span.id)) continue;
      this.#changeSpan(span.id, { cancelled: true });
      return span.id;
    }
    return undefined;
  }

  #idOf(id: number): string {
    const { id: own } = JSON.parse(this.text(id)) as { readonly id?: unknown }; // a request
    return JSON.stringify(own);
  }

  #changeSpan(id: number, changes: Partial<Mutable<SpanRow>>): void {
    const span = this.#spans.get(id);
    if (span === undefined) return;
    Object.assign(span, changes);
    this.#listener.span({ ...span });
  }

  #keepOriginal(id: number, message: Message): void {
    this.#originals.set(id, message);
    const [oldest] = this.#originals.keys();
    if (this.#originals.size > MAX_ORIGINALS && oldest !== undefined) this.#originals.delete(oldest);
  }
}

export interface HistoryPage {
  readonly rows: readonly MessageRow[];
  readonly offset: number;
  readonly total: number;
}

/** The ids that match a filter: rows are looked at once. */
class FilteredRows {
  readonly #filter: TimelineFilter;
  readonly #ids: number[] = [];
  #seen = 0;

  constructor(filter: TimelineFilter) {
    this.#filter = filter;
  }

  extend(rows: readonly MessageRow[], store: MessageStore): readonly number[] {
    const { text = '' } = this.#filter;
    const wanted = text.toLowerCase();
    const from = this.#seen;
    this.#seen = rows.length;
    if (wanted === '') {
      for (const row of rows.slice(from)) if (matches(row, this.#filter)) this.#ids.push(row.id);
      return this.#ids;
    }
    store.scan(from, (found, place) => {
      const row = rows[place];
      if (row === undefined || !matches(row, this.#filter)) return;
      if (found.toLowerCase().includes(wanted) || row.method.toLowerCase().includes(wanted)) this.#ids.push(row.id);
    });
    return this.#ids;
  }
}

function matches(row: MessageRow, { server, method, errors = false, http = false }: TimelineFilter): boolean {
  if (row.side === 'http' && !http) return false;
  if (server !== undefined && row.server !== server) return false;
  if (errors && !row.isError) return false;
  if (method === undefined) return true;
  return method.endsWith('*') ? row.method.startsWith(method.slice(0, -1)) : row.method === method;
}

/** A tool that says that it failed has failed too. */
const isFailed = (message: Message): boolean =>
  'error' in message || ('result' in message && message.result['isError'] === true);

/** Without members that are undefined. */
export function definedOnly<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }; // the same members, without those
}
