/**
 * Incremental parser for server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Linear time, however
 * the text is cut into chunks.
 */
import { McpError } from '../../errors.ts';
import { GrowingText } from '../../model/growing-text.ts';
import { MAX_TIMER_MS } from '../../peer/clock.ts';

/** Default maximum length of an event or JSON response. */
export const MAX_EVENT_LENGTH: number = 16 * 1024 * 1024;

export interface SseEvent {
  /** Default: `message`. */
  readonly type: string;
  /** The data lines, joined; can be empty for an event that only carries an id. */
  readonly data: string;
}

export class SseParser {
  /** The last id that a complete event had; undefined before the first one. */
  lastEventId: string | undefined;
  /** The reconnection delay that the server asks for, in milliseconds. */
  retry: number | undefined;
  readonly #onEvent: (event: SseEvent) => void;
  readonly #max: number;
  /** The beginning of an incomplete line. */
  #rest: GrowingText | undefined;
  /** The last chunk ended with CR, so an LF at the start of the next one belongs to the same line ending. */
  #afterCr = false;
  #hasStarted = false;
  #type = '';
  /** The first data line of the current event, and all others in `#more`. */
  #data: string | undefined;
  #more: GrowingText | undefined;
  #id: string | undefined;

  constructor(onEvent: (event: SseEvent) => void, maxLength: number = MAX_EVENT_LENGTH) {
    this.#onEvent = onEvent;
    this.#max = maxLength;
  }

  /** Parses more text. Throws if an event is too long; after that, the parser must not be used. */
  push(text: string): void {
    let start = this.#startOf(text);
    let cr = text.indexOf('\r', start);
    for (;;) {
      const lf = text.indexOf('\n', start);
      if (cr !== -1 && cr < start) cr = text.indexOf('\r', start);
      const end = cr !== -1 && (lf === -1 || cr < lf) ? cr : lf;
      if (end === -1) break;
      this.#endLine(text, start, end);
      start = end + 1;
      if (end !== cr) continue;
      if (start === text.length) this.#afterCr = true;
      else if (start === lf) start++;
    }
    if (start === text.length) return;
    this.#rest ??= new GrowingText();
    this.#rest.add(start === 0 ? text : text.slice(start));
    this.#checkLength(this.#rest.length);
  }

  /** Skips a byte order mark at the start of the stream, and the LF of a CRLF that was cut in two. */
  #startOf(text: string): number {
    if (text === '') return 0;
    const isMark = !this.#hasStarted && text.charCodeAt(0) === 0xfeff;
    const isHalf = this.#afterCr && text.charCodeAt(0) === 0x0a;
    this.#hasStarted = true;
    this.#afterCr = false;
    return isMark || isHalf ? 1 : 0;
  }

  #endLine(text: string, start: number, end: number): void {
    if (this.#rest !== undefined) {
      this.#rest.add(text.slice(start, end));
      const line = this.#rest.toString();
      this.#rest = undefined;
      this.#line(line);
    } else if (start === end) this.#dispatch();
    else this.#line(text.slice(start, end));
  }

  /** Parses a line that is not empty. Ignores comments and unknown fields. */
  #line(line: string): void {
    if (line.startsWith('data')) {
      const value = valueIn(line, 4);
      if (value === undefined) return;
      if (this.#data === undefined) this.#data = value;
      else {
        this.#more ??= new GrowingText();
        this.#more.add(`\n${value}`);
      }
      this.#checkLength(this.#data.length + (this.#more?.length ?? 0));
    } else if (line.startsWith('id')) {
      const value = valueIn(line, 2);
      if (value !== undefined && !value.includes('\0')) this.#id = value;
    } else if (line.startsWith('event')) this.#type = valueIn(line, 5) ?? this.#type;
    else if (line.startsWith('retry')) this.retry = millisecondsIn(valueIn(line, 5) ?? '') ?? this.retry;
  }

  /** Ends an event. One without data is not reported, but its id counts. */
  #dispatch(): void {
    const type = this.#type;
    const data = this.#more === undefined ? this.#data : `${this.#data}${this.#more}`;
    this.#more = undefined;
    this.#type = '';
    this.#data = undefined;
    if (this.#id !== undefined) this.lastEventId = this.#id;
    if (data !== undefined) this.#onEvent({ type: type === '' ? 'message' : type, data });
  }

  #checkLength(length: number): void {
    if (length <= this.#max) return;
    throw new McpError('MCP_TOO_LARGE', { what: 'An event of a stream', limit: this.#max, setting: 'maxAnswerBytes' });
  }
}

/** The value after the field name, the colon and an optional space; undefined if the field name is longer than `colon`. */
function valueIn(line: string, colon: number): string | undefined {
  if (line.length === colon) return '';
  if (line.charCodeAt(colon) !== 0x3a) return undefined;
  return line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
}

/** Parses a value of digits only; undefined for any other. */
const millisecondsIn = (value: string): number | undefined =>
  /^\d+$/.test(value) ? Math.min(Number(value), MAX_TIMER_MS) : undefined;
