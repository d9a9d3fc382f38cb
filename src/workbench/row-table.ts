/** The rows of the timeline as columns of numbers: a hundred thousand of them take a few megabytes. */
import { LISTEN } from '../model/names.ts';
import type { MessageRow, SpanRow } from './protocol-timeline.ts';

const sides = ['>', '<', 'http'] as const;
const kinds = ['request', 'response', 'notification', 'http'] as const;
/** Of the flags. */
const IS_ERROR = 1;
const IS_CANCELLED = 2;

/** Texts that come again and again are kept once. */
class Words {
  readonly #places: Map<string, number> = new Map();
  readonly #words: (string | undefined)[] = [undefined];

  place(word: string | undefined): number {
    if (word === undefined) return 0;
    const known = this.#places.get(word) ?? this.#words.push(word) - 1;
    this.#places.set(word, known);
    return known;
  }

  at(place: number | undefined): string | undefined {
    return this.#words[place ?? 0];
  }
}

/** Rows and spans by their id, from 1. What is 0 in a column is not there. */
export class RowTable {
  readonly #words: Words = new Words();
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
    /** Of a request: its response, and the request that it was asked in. */
    answer: [] as number[],
    parent: [] as number[],
  };
  /** Of the few that a page asked for. */
  readonly #refs: Map<number, string> = new Map();
  readonly #acts: Map<number, string> = new Map();
  /** When the connection of a request ended before its response, or when it was cancelled. */
  readonly #lost: Map<number, number> = new Map();

  get size(): number {
    return this.#columns.at.length;
  }

  push({ at, server, side, kind, method, subject, span = 0, ms = -1, isError, bytes }: MessageRow): void {
    const columns = this.#columns;
    columns.at.push(at);
    columns.server.push(this.#words.place(server));
    columns.shape.push(sides.indexOf(side) * kinds.length + kinds.indexOf(kind));
    columns.method.push(this.#words.place(method));
    columns.subject.push(this.#words.place(subject));
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
      server: this.#words.at(server[place]) ?? '',
      side: sides[Math.floor(form / kinds.length)] ?? '<',
      kind: kinds[form % kinds.length] ?? 'notification',
      method: this.#words.at(method[place]) ?? '',
      subject: this.#words.at(subject[place]),
      span: of === 0 ? undefined : of,
      ms: took < 0 ? undefined : took,
      isError: ((flags[place] ?? 0) & IS_ERROR) !== 0,
      bytes: bytes[place] ?? 0,
    };
  }

  /** A request, from its first message to its response; undefined for every other row. */
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
      to: response?.at ?? this.#lost.get(id),
      isError: response?.isError ?? (this.#lost.has(id) && method !== LISTEN && !cancelled),
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

  setAsked(id: number, { parent = 0, ref, act }: Pick<SpanRow, 'parent' | 'ref' | 'act'>): void {
    if (parent !== 0) this.#columns.parent[id - 1] = parent;
    if (ref !== undefined) this.#refs.set(id, ref);
    if (act !== undefined) this.#acts.set(id, act);
  }

  setLost(id: number, at: number): void {
    this.#lost.set(id, at);
  }

  /** No response has to follow, so it ends here; where one follows, it ends there. */
  setCancelled(id: number, at: number): void {
    this.#lost.set(id, at);
    this.#columns.flags[id - 1] = (this.#columns.flags[id - 1] ?? 0) | IS_CANCELLED;
  }
}
