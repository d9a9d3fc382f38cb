/** Keeps the last 64 KiB of a process's stderr in a ring buffer, to quote them in errors. */
import { Buffer } from 'node:buffer';
import { printable } from '../model/printable.ts';

const RING_BYTES = 64 * 1024;
const QUOTED_LINES = 10;
const QUOTED_CHARACTERS = 2000;

export class StderrTail {
  #ring: Buffer | undefined;
  #at = 0;
  #full = false;

  push(chunk: Buffer): void {
    this.#ring ??= Buffer.allocUnsafe(RING_BYTES);
    // Skips the part of a long chunk that would be overwritten.
    for (let from = Math.max(0, chunk.length - RING_BYTES); from < chunk.length; ) {
      const copied = chunk.copy(this.#ring, this.#at, from);
      from += copied;
      this.#at += copied;
      if (this.#at < RING_BYTES) continue;
      this.#at = 0;
      this.#full = true;
    }
  }

  get text(): string {
    const ring = this.#ring ?? Buffer.alloc(0);
    const end = ring.subarray(0, this.#at);
    return (this.#full ? Buffer.concat([ring.subarray(this.#at), end]) : end).toString();
  }

  /** The last lines for an error message, or an empty string. Omits stack frames: the message above them names the cause. */
  quoted(): string {
    const lines = this.text
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '' && !/^\s+at\s/.test(line))
      .slice(-QUOTED_LINES)
      .join('\n')
      .slice(-QUOTED_CHARACTERS)
      .split('\n')
      .filter((line) => line.trim() !== '');
    return lines.length === 0
      ? ''
      : `; the end of its stderr:${lines.map((line) => `\n  | ${printable(line)}`).join('')}`;
  }
}
