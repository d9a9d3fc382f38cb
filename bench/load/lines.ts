/** Reads lines from a pipe at little cost. */
import type { Readable } from 'node:stream';

const LF = 10;

/** Passes on the lines of one read together. */
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
