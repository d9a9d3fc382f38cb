/**
 * Work that takes a while: it says how far it is, writes log lines, and stops when the caller no longer waits.
 *
 *   npx tsx examples/long-job.ts
 */
import { strict as assert } from 'node:assert';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer, tool } from 'mooring';
import type { Progress } from 'mooring/client';
import * as z from 'zod';
import { everywhere } from './support/everywhere.ts';

const stopped: string[] = [];

/** A book takes its time; whatever takes long takes the signal, too. */
async function scanBook(shelf: string, book: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(5, undefined, { signal });
  } catch (error) {
    stopped.push(`${shelf}, at book ${book}`);
    throw error;
  }
}

// #region tool
const scan = tool({
  name: 'scan',
  description: 'Scans the books of a shelf',
  effects: 'read',
  input: z.object({ shelf: z.string(), books: z.number().int().min(1).max(10_000) }),
  async run({ shelf, books }, ctx) {
    ctx.log('info', 'scan begins', { shelf, books });
    for (let book = 1; book <= books; book++) {
      await scanBook(shelf, book, ctx.signal);
      ctx.progress(book, books, `Scanned ${book} of ${books} books`);
    }
    return `Scanned ${books} books on ${shelf}`;
  },
});
// #endregion

const lastStopped = tool({
  name: 'last_stopped',
  description: 'Waits until a scan was stopped, and says which',
  async run(_, { signal }) {
    while (stopped.length === 0) await pause(5, undefined, { signal });
    return stopped.splice(0).join();
  },
});

const library = createServer({
  name: 'library',
  version: '1.0.0',
  parts: [scan, lastStopped],
  // Cancelled work ends with an error too, which is expected.
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
    assert.match(
      (await client.call('last_stopped')).text,
      /^B, at book \d+$/,
      'the work stopped, not only the waiting',
    );
    lines.length = 0;
  },
);
