/**
 * Work that takes a while: it says how far it is, writes log lines for whoever wants them, and stops when nobody waits any more.
 *
 *   npx tsx examples/long-job.ts
 */
import { strict as assert } from 'node:assert';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer, tool } from 'mooring';
import type { Progress } from 'mooring/client';
import * as z from 'zod';
import { everywhere } from './support/everywhere.ts';

const running = new Set<Promise<unknown>>();
const ended: string[] = [];

/** One book after the other, until told to stop. */
async function scan(shelf: string, books: number, each: { done(book: number): void; signal: AbortSignal }) {
  for (let book = 1; book <= books; book++) {
    await pause(5, undefined, { signal: each.signal }); // whatever takes long takes the signal, too
    each.done(book);
  }
  return `Scanned ${books} books on ${shelf}`;
}

// #region tool
const scanShelf = tool({
  name: 'scan',
  description: 'Scans the books of a shelf',
  effects: 'read',
  input: z.object({ shelf: z.string(), books: z.number().int().min(1).max(10_000) }),
  async run({ shelf, books }, ctx) {
    ctx.log('info', 'scan begins', { shelf, books });
    const done = (book: number): void => ctx.progress(book, books, `book ${book} of ${books}`);
    const work = scan(shelf, books, { signal: ctx.signal, done });
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
      ended.push(ctx.signal.aborted ? `${shelf}: stopped` : `${shelf}: done`);
    }
  },
});
// #endregion

const record = tool({
  name: 'record',
  description: 'Which scans ended, and how',
  async run() {
    await Promise.allSettled(running);
    await pause(0);
    return ended.splice(0).join(', ');
  },
});

const library = createServer({
  name: 'library',
  version: '1.0.0',
  parts: [scanShelf, record],
  // Work that was called off ends with an error, too; it is nobody's fault.
  onError: (error) => (error instanceof Error && error.name === 'AbortError' ? undefined : console.error(error)),
  onWarning: () => undefined,
});

const lines: string[] = [];
const onLog = ({ level, data }: { level: string; data?: unknown }): number =>
  lines.push(`${level} ${JSON.stringify(data)}`);

await everywhere(
  { server: library, file: import.meta.url, onLog, logLevel: 'info', onWarning() {} },
  async (client) => {
    // #region watch
    const seen: Progress[] = [];
    const { text } = await client.call(
      'scan',
      { shelf: 'A', books: 4 },
      { onProgress: (progress) => seen.push(progress) },
    );
    // #endregion
    assert.equal(text, 'Scanned 4 books on A');
    assert.deepEqual(
      seen.map(({ progress, total }) => `${progress}/${total}`),
      ['1/4', '2/4', '3/4', '4/4'],
    );
    assert.equal(lines.length, 1);
    assert.match(lines.splice(0).join(), /^info .*scan begins/);

    // #region cancel
    const enough = new AbortController();
    const call = client.call(
      'scan',
      { shelf: 'B', books: 10_000 },
      { signal: enough.signal, onProgress: ({ progress }) => progress === 2 && enough.abort(new Error('Lunch')) },
    );
    await assert.rejects(call, { code: 'MCP_CANCELLED' });
    // #endregion
    assert.equal((await client.call('record')).text, 'A: done, B: stopped', 'the work stopped, not only the waiting');
    lines.length = 0;
  },
);
