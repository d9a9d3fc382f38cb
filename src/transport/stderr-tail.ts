/** The end of what a process wrote to stderr, however much that was, fit to be quoted in an error. */
import { Buffer } from 'node:buffer';
import { printable } from '../model/printable.ts';

const RING = 64 * 1024;
const QUOTED_LINES = 10;
const QUOTED_CHARACTERS = 2000;

export class StderrTail {
  #ring: Buffer | undefined;
  #at = 0;
  #full = false;

  push(chunk: Buffer): void {
    this.#ring ??= Buffer.allocUnsafe(RING);
    // Only the end of a long chunk can survive.
    for (let from = Math.max(0, chunk.length - RING); from < chunk.length; ) {
      const copied = chunk.copy(this.#ring, this.#at, from);
      from += copied;
      this.#at += copied;
      if (this.#at < RING) continue;
      this.#at = 0;
      this.#full = true;
    }
  }

  get text(): string {
    const ring = this.#ring ?? Buffer.alloc(0);
    const end = ring.subarray(0, this.#at);
    return (this.#full ? Buffer.concat([ring.subarray(this.#at), end]) : end).toString();
  }

  /** The last lines, each behind a bar, or nothing at all. Stack frames are left out: the line that they belong to says why. */
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
