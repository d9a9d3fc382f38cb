/** Writes lines to a stream in order, with one write per turn of the event loop, and with backpressure. */
import { Buffer } from 'node:buffer';
import process from 'node:process';
import type { Writable } from 'node:stream';

export interface WriteQueueOptions {
  /** Called once, when the reader is gone or the stream has ended. Later lines are discarded. */
  readonly onClosed?: () => void;
  /** Called when the reader has caught up. */
  readonly onDrain?: () => void;
}

export class WriteQueue {
  readonly #output: Writable;
  readonly #write: (text: string, written: () => void) => boolean;
  readonly #options: WriteQueueOptions;
  /** Lines of the current turn. */
  #text = '';
  /** Text of earlier turns that waits for a slow reader. */
  #waiting: string[] = [];
  #waitingBytes = 0;
  #behind = false;
  #unfinished = 0;
  #closed = false;
  #flushed: (() => void)[] = [];

  constructor(output: Writable, options: WriteQueueOptions = {}) {
    this.#output = output;
    // Bound now: `redirectStdout` and other code can later replace `process.stdout.write`.
    this.#write = output.write.bind(output);
    this.#options = options;
    output.on('drain', this.#onDrain);
    output.on('close', this.#onClosed);
    // EPIPE means that the reader is gone. Never removed: an error can follow the last write, and would be uncaught.
    output.on('error', this.#onClosed);
  }

  add(line: string): void {
    if (this.#closed) return;
    // `nextTick` from within a promise callback runs after all pending promise callbacks, so at the end of the turn.
    if (this.#text === '') process.nextTick(this.#onTick);
    this.#text += `${line}\n`;
  }

  /** Bytes that wait for the reader. Lines of the current turn are counted in characters. */
  get bytes(): number {
    return this.#closed ? 0 : this.#text.length + this.#waitingBytes + this.#output.writableLength;
  }

  /** Resolves when all lines added so far are written, or the stream is closed. */
  flushed(): Promise<void> {
    this.#onTick();
    if (this.#closed || (this.#unfinished === 0 && this.#waiting.length === 0)) return Promise.resolve();
    return new Promise((resolve) => this.#flushed.push(resolve));
  }

  /** Flushes the queue and ends the stream. */
  async end(): Promise<void> {
    await this.flushed();
    if (!this.#closed) this.#output.end();
  }

  /** Stops writing and removes the listeners, without ending the stream. */
  release(): void {
    this.#onClosed();
    this.#output.off('drain', this.#onDrain);
    this.#output.off('close', this.#onClosed);
  }

  readonly #onTick = (): void => {
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#put(text);
  };

  #put(text: string): void {
    if (this.#behind) {
      this.#waiting.push(text);
      this.#waitingBytes += Buffer.byteLength(text);
    } else {
      this.#unfinished++;
      // Passes a string, not a Buffer: sockets and pipes write small strings without an extra copy.
      this.#behind = !this.#write(text, this.#onWritten);
    }
  }

  readonly #onWritten = (): void => {
    if (--this.#unfinished === 0 && this.#waiting.length === 0) this.#wake();
  };

  readonly #onDrain = (): void => {
    this.#behind = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const text of waiting) this.#put(text);
    this.#options.onDrain?.();
  };

  readonly #onClosed = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    this.#text = '';
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#wake();
    this.#options.onClosed?.();
  };

  #wake(): void {
    for (const resolve of this.#flushed.splice(0)) resolve();
  }
}
