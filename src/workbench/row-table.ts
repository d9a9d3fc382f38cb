/** Stores timeline rows as columns of numbers: 100,000 rows take a few megabytes. */
import { LISTEN } from '../model/names.ts';
import type { MessageRow, SpanRow } from './protocol-timeline.ts';

const sides = ['>', '<', 'http'] as const;
const kinds = ['request', 'response', 'notification', 'http'] as const;
/** Bits of `flags`. */
const IS_ERROR = 1;
const IS_CANCELLED = 2;

/** Interns repeated strings, such as methods and server labels. Index 0 means undefined. */
class StringTable {
  readonly #indexes: Map<string, number> = new Map();
  readonly #strings: (string | undefined)[] = [undefined];

  indexOf(text: string | undefined): number {
    if (text === undefined) return 0;
    const index = this.#indexes.get(text) ?? this.#strings.push(text) - 1;
    this.#indexes.set(text, index);
    return index;
  }

  at(index: number | undefined): string | undefined {
    return this.#strings[index ?? 0];
  }
}

/** Rows and spans by id, from 1. A 0 in a column of ids means "none". */
export class RowTable {
  readonly #strings: StringTable = new StringTable();
  readonly #columns = {
    at: [] as number[],
    server: [] as number[],
    shape: [] as number[],
    method: [] as number[],
    subject: [] as number[],
    span: [] as number[],
    ms: [] as number[],
    flags: [] as number[],
    bytes: [] as number[],
    /** For a request: the id of its response, and of the request during which it was sent. */
    answer: [] as number[],
    parent: [] as number[],
  };
  /** Ids of page actions, for the few requests that a page caused. */
  readonly #refs: Map<number, string> = new Map();
  readonly #acts: Map<number, string> = new Map();
  /** When a request without a response ended: its connection closed, or it was cancelled. */
  readonly #endedAt: Map<number, number> = new Map();

  get size(): number {
    return this.#columns.at.length;
  }

  push({ at, server, side, kind, method, subject, span = 0, ms = -1, isError, bytes }: MessageRow): void {
    const columns = this.#columns;
    columns.at.push(at);
    columns.server.push(this.#strings.indexOf(server));
    columns.shape.push(sides.indexOf(side) * kinds.length + kinds.indexOf(kind));
    columns.method.push(this.#strings.indexOf(method));
    columns.subject.push(this.#strings.indexOf(subject));
    columns.span.push(span);
    columns.ms.push(ms);
    columns.flags.push(isError ? IS_ERROR : 0);
    columns.bytes.push(bytes);
    columns.answer.push(0);
    columns.parent.push(0);
  }

  row(id: number): MessageRow | undefined {
    const place = id - 1;
    const { at, server, shape, method, subject, span, ms, flags, bytes } = this.#columns;
    const form = shape[place];
    if (form === undefined) return undefined;
    const [of, took] = [span[place] ?? 0, ms[place] ?? -1];
    return {
      id,
      at: at[place] ?? 0,
      server: this.#strings.at(server[place]) ?? '',
      side: sides[Math.floor(form / kinds.length)] ?? '<',
      kind: kinds[form % kinds.length] ?? 'notification',
      method: this.#strings.at(method[place]) ?? '',
      subject: this.#strings.at(subject[place]),
      span: of === 0 ? undefined : of,
      ms: took < 0 ? undefined : took,
      isError: ((flags[place] ?? 0) & IS_ERROR) !== 0,
      bytes: bytes[place] ?? 0,
    };
  }

  /** The span of a request; undefined if the row is no request. */
  span(id: number): SpanRow | undefined {
    if ((this.#columns.shape[id - 1] ?? -1) % kinds.length !== 0) return undefined;
    const row = this.row(id);
    if (row === undefined || row.side === 'http') return undefined;
    const { server, side, method, subject, at: from } = row;
    const { answer, parent, flags } = this.#columns;
    const response = this.row(answer[id - 1] ?? 0);
    const within = parent[id - 1] ?? 0;
    const cancelled = ((flags[id - 1] ?? 0) & IS_CANCELLED) !== 0;
    return {
      id,
      server,
      side,
      method,
      subject,
      from,
      to: response?.at ?? this.#endedAt.get(id),
      isError: response?.isError ?? (this.#endedAt.has(id) && method !== LISTEN && !cancelled),
      cancelled,
      parent: within === 0 ? undefined : within,
      act: this.#acts.get(id),
      ref: this.#refs.get(id),
    };
  }

  answerOf(id: number): number | undefined {
    return this.#columns.answer[id - 1] || undefined;
  }

  setAnswer(id: number, answer: number): void {
    this.#columns.answer[id - 1] = answer;
  }

  setContext(id: number, { parent = 0, ref, act }: Pick<SpanRow, 'parent' | 'ref' | 'act'>): void {
    if (parent !== 0) this.#columns.parent[id - 1] = parent;
    if (ref !== undefined) this.#refs.set(id, ref);
    if (act !== undefined) this.#acts.set(id, act);
  }

  setEndedAt(id: number, at: number): void {
    this.#endedAt.set(id, at);
  }

  /** A cancelled request needs no response, so its span ends at the cancellation; if a response arrives, it ends there. */
  setCancelled(id: number, at: number): void {
    this.#endedAt.set(id, at);
    this.#columns.flags[id - 1] = (this.#columns.flags[id - 1] ?? 0) | IS_CANCELLED;
  }
}
