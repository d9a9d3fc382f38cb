/** Reads lines from a pipe, with as little of its own as possible. */
import type { Readable } from 'node:stream';

const LF = 10;

/** Hands over the lines that came in one read together. */
export function onLines(input: Readable, lines: (lines: readonly string[]) => void): void {
  let parts: Buffer[] = [];
  input.on('data', (chunk: Buffer) => {
    const last = chunk.lastIndexOf(LF);
    if (last === -1) {
      parts.push(chunk);
      return;
    }
    const whole = chunk.subarray(0, last);
    const text = parts.length === 0 ? whole.toString() : Buffer.concat([...parts, whole]).toString();
    parts = last + 1 === chunk.length ? [] : [chunk.subarray(last + 1)];
    lines(text.split('\n'));
  });
}
