/** Lines to a stream, in order: those of one turn in one write, and no more than the reader takes. */
import { Buffer } from 'node:buffer';
import process from 'node:process';
import type { Writable } from 'node:stream';

export interface WriteQueueOptions {
  /** The reader has gone, or the stream has ended. Nothing is written any more. Called once. */
  readonly onClosed?: () => void;
  /** The reader has caught up with what was written so far. */
  readonly onDrain?: () => void;
}

export class WriteQueue {
  readonly #output: Writable;
  readonly #write: (text: string, written: () => void) => boolean;
  readonly #options: WriteQueueOptions;
  /** The lines of this turn. */
  #text = '';
  /** Earlier turns, while the reader is behind. */
  #waiting: string[] = [];
  #waitingBytes = 0;
  #behind = false;
  #unfinished = 0;
  #closed = false;
  #flushed: (() => void)[] = [];

  constructor(output: Writable, options: WriteQueueOptions = {}) {
    this.#output = output;
    // Taken now: on a process's stdout, `redirectStdout` and others can put another one in its place.
    this.#write = output.write.bind(output);
    this.#options = options;
    output.on('drain', this.#onDrain);
    output.on('close', this.#onClosed);
    // A pipe without a reader is an end like any other. This listener stays: an error may come after the last write.
    output.on('error', this.#onClosed);
  }

  add(line: string): void {
    if (this.#closed) return;
    // A tick that is asked for in a promise's reaction comes after all reactions: that is the end of the turn.
    if (this.#text === '') process.nextTick(this.#onTick);
    this.#text += `${line}\n`;
  }

  /** Bytes that wait for the reader. Lines of the current turn count by their characters, until they are written. */
  get bytes(): number {
    return this.#closed ? 0 : this.#text.length + this.#waitingBytes + this.#output.writableLength;
  }

  /** Resolves when everything added so far has been taken, or never will be. */
  flushed(): Promise<void> {
    this.#onTick();
    if (this.#closed || (this.#unfinished === 0 && this.#waiting.length === 0)) return Promise.resolve();
    return new Promise((resolve) => this.#flushed.push(resolve));
  }

  /** Writes what is left and ends the stream. */
  async end(): Promise<void> {
    await this.flushed();
    if (!this.#closed) this.#output.end();
  }

  /** Lets go of the stream. */
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
      // A string: sockets and pipes write small ones without a copy in between.
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
