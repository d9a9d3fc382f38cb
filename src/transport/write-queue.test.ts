import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextTurn } from '../peer/runtime.ts';
import { WriteQueue } from './write-queue.ts';

/** A stream whose reader reads only when the test lets it. */
function gated(highWaterMark = 16): { output: Writable; writes: string[]; take: (n?: number) => void } {
  const writes: string[] = [];
  const held: (() => void)[] = [];
  const output = new Writable({
    highWaterMark,
    write(chunk: Buffer, _, done) {
      writes.push(chunk.toString());
      held.push(done);
    },
  });
  return { output, writes, take: (n = 1) => held.splice(0, n).forEach((done) => void done()) };
}

describe('a write queue', () => {
  test('a write queue writes the lines of one turn together and in order', async () => {
    const { output, writes } = gated(1000);
    const queue = new WriteQueue(output);
    queue.add('a');
    await Promise.resolve();
    queue.add('b');
    void Promise.resolve().then(() => Promise.resolve().then(() => queue.add('c')));
    await nextTurn();
    expect(writes).toEqual(['a\nb\nc\n']);
    queue.add('d');
    await nextTurn();
    expect(writes.join('')).toBe('a\nb\nc\n');
  });

  test('lines added in promise callbacks of one turn are one write', async () => {
    const { output, writes } = gated(1000);
    const queue = new WriteQueue(output);
    const answers = Array.from({ length: 50 }, async (_, i) => {
      for (let hops = 0; hops < i; hops++) await Promise.resolve();
      queue.add(String(i));
    });
    await Promise.all(answers);
    await nextTurn();
    expect(writes).toHaveLength(1);
  });

  test('a write queue waits for a slow reader, and counts the bytes that wait', async () => {
    const { output, writes, take } = gated(4);
    let drains = 0;
    const queue = new WriteQueue(output, { onDrain: () => drains++ });
    for (const line of ['first', 'zweite Zeile – ü', 'third']) {
      queue.add(line);
      await nextTurn();
    }
    expect(writes).toEqual(['first\n']);
    expect(queue.bytes).toBe(Buffer.byteLength('first\nzweite Zeile – ü\nthird\n'));
    expect(drains).toBe(0);
    take();
    await nextTurn();
    take();
    await nextTurn();
    take();
    await nextTurn();
    expect(writes.join('')).toBe('first\nzweite Zeile – ü\nthird\n');
    expect(queue.bytes).toBe(0);
    expect(drains).toBeGreaterThan(0);
  });

  test('flushed resolves when the last byte is written', async () => {
    const { output, take } = gated(4);
    const queue = new WriteQueue(output);
    await queue.flushed();
    queue.add('one');
    queue.add('two');
    let flushed = false;
    const flushing = queue.flushed().then(() => {
      flushed = true;
    });
    queue.add('three');
    await nextTurn();
    expect(flushed).toBe(false);
    take();
    await nextTurn();
    take();
    await flushing;
    expect(queue.bytes).toBe(0);
  });

  test('end ends the stream after the last line', async () => {
    const output = new PassThrough();
    const queue = new WriteQueue(output);
    queue.add('last');
    await queue.end();
    expect((await output.toArray()).join('')).toBe('last\n');
  });

  test.each(['error', 'close'])('a reader that disconnects (%s) closes the queue without an error', async (how) => {
    const { output } = gated(4);
    let closed = 0;
    const queue = new WriteQueue(output, { onClosed: () => closed++ });
    queue.add('a');
    await nextTurn();
    queue.add('b');
    const flushed = queue.flushed();
    const ended = queue.end();
    output.destroy(how === 'error' ? Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) : undefined);
    await flushed;
    await ended;
    queue.add('c');
    await queue.flushed();
    expect(closed).toBe(1);
    expect(queue.bytes).toBe(0);
  });

  test('after release, only the listener for late errors remains', () => {
    const output = new PassThrough();
    const before = output.listenerCount('drain') + output.listenerCount('close');
    const queue = new WriteQueue(output);
    queue.release();
    expect(output.listenerCount('drain') + output.listenerCount('close')).toBe(before);
    output.destroy(new Error('late'));
    queue.add('not read');
    expect(output.writableLength).toBe(0);
  });

  test('whichever write fails, the output is a prefix of the added lines', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.array(fc.boolean(), { maxLength: 12 }),
        async (failing, pauses) => {
          const taken: string[] = [];
          let writes = 0;
          const output = new Writable({
            highWaterMark: 3,
            write(chunk: Buffer, _, done) {
              if (writes++ === failing) return done(new Error('write EPIPE'));
              taken.push(chunk.toString());
              setImmediate(done);
            },
          });
          const queue = new WriteQueue(output);
          let said = '';
          for (const [i, pause] of pauses.entries()) {
            queue.add(`line ${i}`);
            said += `line ${i}\n`;
            if (pause) await nextTurn();
          }
          await queue.flushed();
          if (failing > pauses.length) expect(taken.join('')).toBe(said);
          else expect(said.startsWith(taken.join(''))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});
