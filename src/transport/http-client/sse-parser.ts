/**
 * Server-sent events, read as they come in: https://html.spec.whatwg.org/multipage/server-sent-events.html. Each character
 * is looked at once, however the text is cut into pieces.
 */
import { McpError } from '../../errors.ts';
import { GrowingText } from '../../model/growing-text.ts';

/** The longest event or JSON answer. */
export const MAX_EVENT_LENGTH: number = 16 * 1024 * 1024;

export interface SseEvent {
  /** `message` unless the server says otherwise. */
  readonly type: string;
  /** The lines of its data, joined; empty for an event that only carries an id. */
  readonly data: string;
}

export class SseParser {
  /** The id of the last event that ended; undefined before there was one. */
  lastEventId: string | undefined;
  /** Milliseconds that the server wants us to wait before we connect again. */
  retry: number | undefined;
  readonly #onEvent: (event: SseEvent) => void;
  readonly #max: number;
  /** The beginning of a line whose end has not come yet. */
  #rest: GrowingText | undefined;
  /** The last piece ended in CR; an LF that comes next belongs to it. */
  #afterCr = false;
  #begun = false;
  #type = '';
  /** The first line of its data, and the others. */
  #data: string | undefined;
  #more: GrowingText | undefined;
  #id: string | undefined;

  constructor(onEvent: (event: SseEvent) => void, maxLength: number = MAX_EVENT_LENGTH) {
    this.#onEvent = onEvent;
    this.#max = maxLength;
  }

  /** Takes more text. Throws when an event grows too long; nothing may be pushed after that. */
  push(text: string): void {
    let start = this.#startOf(text);
    let cr = text.indexOf('\r', start);
    for (;;) {
      const lf = text.indexOf('\n', start);
      if (cr !== -1 && cr < start) cr = text.indexOf('\r', start);
      const end = cr !== -1 && (lf === -1 || cr < lf) ? cr : lf;
      if (end === -1) break;
      this.#ended(text, start, end);
      start = end + 1;
      if (end !== cr) continue;
      if (start === text.length) this.#afterCr = true;
      else if (start === lf) start++;
    }
    if (start === text.length) return;
    this.#rest ??= new GrowingText();
    this.#rest.add(start === 0 ? text : text.slice(start));
    this.#grown(this.#rest.length);
  }

  /** Where to begin: behind a byte order mark at the very start, or behind the second half of a CRLF that was cut in two. */
  #startOf(text: string): number {
    if (text === '') return 0;
    const mark = !this.#begun && text.charCodeAt(0) === 0xfeff;
    const half = this.#afterCr && text.charCodeAt(0) === 0x0a;
    this.#begun = true;
    this.#afterCr = false;
    return mark || half ? 1 : 0;
  }

  #ended(text: string, start: number, end: number): void {
    if (this.#rest !== undefined) {
      this.#rest.add(text.slice(start, end));
      const line = this.#rest.toString();
      this.#rest = undefined;
      this.#line(line);
    } else if (start === end) this.#dispatch();
    else this.#line(text.slice(start, end));
  }

  /** One line that is not empty. Comments and unknown fields fall through. */
  #line(line: string): void {
    if (line.startsWith('data')) {
      const value = valueIn(line, 4);
      if (value === undefined) return;
      if (this.#data === undefined) this.#data = value;
      else {
        this.#more ??= new GrowingText();
        this.#more.add(`\n${value}`);
      }
      this.#grown(this.#data.length + (this.#more?.length ?? 0));
    } else if (line.startsWith('id')) {
      const value = valueIn(line, 2);
      if (value !== undefined && !value.includes('\0')) this.#id = value;
    } else if (line.startsWith('event')) this.#type = valueIn(line, 5) ?? this.#type;
    else if (line.startsWith('retry')) this.retry = millisecondsIn(valueIn(line, 5) ?? '') ?? this.retry;
  }

  /** An event without data is ignored, but its id counts. */
  #dispatch(): void {
    const type = this.#type;
    const data = this.#more === undefined ? this.#data : `${this.#data}${this.#more}`;
    this.#more = undefined;
    this.#type = '';
    this.#data = undefined;
    if (this.#id !== undefined) this.lastEventId = this.#id;
    if (data !== undefined) this.#onEvent({ type: type === '' ? 'message' : type, data });
  }

  #grown(length: number): void {
    if (length <= this.#max) return;
    throw new McpError('MCP_TOO_LARGE', { what: 'An event of a stream', limit: this.#max, setting: 'maxAnswerBytes' });
  }
}

/** What stands behind the field's name, the colon and one space; undefined when the name is longer. */
function valueIn(line: string, colon: number): string | undefined {
  if (line.length === colon) return '';
  if (line.charCodeAt(colon) !== 0x3a) return undefined;
  return line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
}

/** Timers hold no more than this. */
const LONGEST = 2 ** 31 - 1;

/** Digits and nothing else. */
function millisecondsIn(value: string): number | undefined {
  if (value === '') return undefined;
  for (let i = 0; i < value.length; i++) {
    const c = value.charCodeAt(i);
    if (c < 0x30 || c > 0x39) return undefined;
  }
  return Math.min(Number(value), LONGEST);
}
