/** Splits a byte stream into lines, independently of how the bytes are cut into chunks. */
import { Buffer, isUtf8 } from 'node:buffer';

/** Default maximum length of a line in bytes, without the newline. A longer line is dropped. */
export const MAX_LINE_BYTES: number = 10 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const BOM = 0xfeff;
/** An unfinished line is copied into slabs of this size, so that a peer that sends single bytes does not cost extra memory. */
const SLAB = 64 * 1024;
/** Length of the beginning of a dropped line that is reported. */
const HEAD = 200;

/** Why a line was dropped. */
export type LineFault = 'too long' | 'not UTF-8';

/** Callbacks and limits of `Lines`. */
export interface LinesOptions {
  /** Called with each line that is not empty, without the line ending. */
  readonly onLine: (line: string) => void;
  /** Called once for each dropped line, with its beginning. */
  readonly onDropped: (fault: LineFault, head: string) => void;
  /** Maximum length of a line. Default: 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** Decodes invalid UTF-8 as U+FFFD instead of dropping the line. */
  readonly lossy?: boolean;
}

/** Splits a byte stream into lines. */
export class Lines {
  readonly #options: LinesOptions;
  readonly #limit: number;
  readonly #slabs: Buffer[] = [];
  /** Bytes of the unfinished line. */
  #held = 0;
  /** The unfinished line is too long, and its bytes are discarded until the next newline. */
  #dropping = false;
  #first = true;

  constructor(options: LinesOptions) {
    this.#options = options;
    this.#limit = options.maxBytes ?? MAX_LINE_BYTES;
  }

  push(bytes: Uint8Array): void {
    const chunk = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const first = chunk.indexOf(LF);
    if (first === -1) {
      this.#hold(chunk, 0, chunk.length);
      return;
    }
    this.#finish(chunk, 0, first);
    const last = chunk.lastIndexOf(LF);
    if (last > first && !this.#emitTogether(chunk, first + 1, last)) this.#emitOneByOne(chunk, first + 1, last);
    if (last + 1 < chunk.length) this.#hold(chunk, last + 1, chunk.length);
  }

  /** The stream ended: emits the rest without a newline as the last line. */
  end(): void {
    this.#finish(Buffer.alloc(0), 0, 0);
  }

  /** Decodes several whole lines at once, which is faster. Returns false if they must be decoded one by one. */
  #emitTogether(chunk: Buffer, from: number, to: number): boolean {
    if (to - from > this.#limit) return false;
    const text = chunk.toString('utf8', from, to);
    if (this.#options.lossy !== true && text.includes('\uFFFD')) return false;
    for (let start = 0; start <= text.length; ) {
      const newline = text.indexOf('\n', start);
      const end = newline === -1 ? text.length : newline;
      const line = text.slice(start, end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end);
      if (line !== '') this.#options.onLine(line);
      start = end + 1;
    }
    return true;
  }

  #emitOneByOne(chunk: Buffer, start: number, last: number): void {
    for (let from = start; from <= last; ) {
      const to = chunk.indexOf(LF, from);
      this.#finish(chunk, from, to);
      from = to + 1;
    }
  }

  #finish(chunk: Buffer, from: number, to: number): void {
    if (this.#held === 0 && !this.#dropping && to - from <= this.#limit) {
      this.#emit(chunk, from, to);
      return;
    }
    this.#hold(chunk, from, to);
    const length = this.#held;
    this.#held = 0;
    if (this.#dropping) this.#dropping = false;
    else this.#emit(length <= SLAB ? (this.#slabs[0] ?? chunk) : Buffer.concat(this.#slabs, length), 0, length);
  }

  #hold(chunk: Buffer, from: number, to: number): void {
    if (this.#dropping) return;
    if (this.#held + to - from > this.#limit) {
      this.#dropping = true;
      this.#first = false;
      const [bytes, start, end] = this.#held > 0 ? [this.#slabs[0] ?? chunk, 0, this.#held] : [chunk, from, to];
      const head = bytes.toString('utf8', start, Math.min(start + HEAD, end));
      this.#freeSlabs();
      this.#options.onDropped('too long', head);
      return;
    }
    for (let at = from; at < to; ) {
      const offset = this.#held % SLAB;
      const index = (this.#held - offset) / SLAB;
      this.#slabs[index] ??= Buffer.allocUnsafeSlow(SLAB);
      const copied = chunk.copy(this.#slabs[index], offset, at, to);
      at += copied;
      this.#held += copied;
    }
  }

  #emit(bytes: Buffer, from: number, end: number): void {
    const to = end > from && bytes[end - 1] === CR ? end - 1 : end;
    let line = bytes.toString('utf8', from, to);
    if (this.#slabs.length > 1) this.#freeSlabs();
    if (this.#first && line.charCodeAt(0) === BOM) line = line.slice(1);
    this.#first = false;
    if (line === '') return;
    // The peer can also have sent U+FFFD itself, which only the bytes show.
    if (this.#options.lossy !== true && line.includes('\uFFFD') && !isUtf8(bytes.subarray(from, to)))
      this.#options.onDropped('not UTF-8', line.slice(0, HEAD));
    else this.#options.onLine(line);
  }

  /** Frees the memory of a long line, except one slab for the next line. */
  #freeSlabs(): void {
    this.#slabs.length = Math.min(this.#slabs.length, 1);
    this.#held = 0;
  }
}
