/**
 * A render farm that is killed in the middle of a job, and goes on: its tasks are in a SQLite file. The client starts a job, keeps its
 * ticket, and comes back for the result after the server was killed and started again. No frame that was done is rendered again.
 *
 *   npx tsx render-farm.ts        in examples/with, after npm ci
 */
import { strict as assert } from 'node:assert';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { createServer, tool } from 'mooring';
import { type Client, connect } from 'mooring/client';
import { serveStdio } from 'mooring/stdio';
import { sqliteTasks } from 'mooring/tasks';
import * as z from 'zod';

const [, , role, folder = mkdtempSync(join(tmpdir(), 'mooring-farm-'))] = process.argv;
const log = join(folder, 'frames.log');

// #region server
const render = tool({
  name: 'render',
  description: 'Renders the frames of a scene',
  effects: 'read',
  task: true,
  input: z.object({ scene: z.string(), frames: z.int().max(1_000) }),
  async run({ scene, frames }, ctx) {
    for (let frame = 1; frame <= frames; frame++) {
      // What a step returns is kept. After a crash the handler runs from the top, and finds the frames that are done.
      await ctx.once(`frame-${frame}`, async () => {
        await sleep(100);
        appendFileSync(log, `${frame} ${process.pid}\n`);
      });
      ctx.progress(frame, frames);
    }
    return `${scene}: ${frames} frames`;
  },
});

async function serve(): Promise<void> {
  const store = sqliteTasks(new Database(join(folder, 'tasks.db'))); // from Node 22.13 on: sqliteTasks('tasks.db')
  // A process that does not report for so long has lost its tasks to another one.
  const tasks = { store, leaseMs: 1_000 };
  await serveStdio(createServer({ name: 'farm', version: '1.0.0', parts: [render], tasks }));
}
// #endregion

/** Each frame that was rendered, and the process that did it. */
const rendered = (): string[][] =>
  existsSync(log)
    ? readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
    : [];

const startServer = (): Promise<Client> =>
  connect(
    {
      command: process.execPath,
      args: ['--import', 'tsx', fileURLToPath(import.meta.url), 'serve', folder],
      env: { TSX_TSCONFIG_PATH: process.env['TSX_TSCONFIG_PATH'] ?? '' },
    },
    { tasks: true },
  );

async function main(): Promise<void> {
  const first = await startServer();
  const job = await first.start('render', { scene: 'harbour', frames: 8 });
  const ticket = JSON.stringify(job.ticket); // to a file, to a database
  while (rendered().length < 3) await sleep(20);
  const [[, pid = ''] = []] = rendered();
  process.kill(Number(pid), 'SIGKILL');
  await first.close();

  await using second = await startServer();
  const again = await second.attach(JSON.parse(ticket));
  const { text } = await again.result();
  assert.equal(text, 'harbour: 8 frames');
  const frames = rendered().map(([frame]) => Number(frame));
  assert.deepEqual([...new Set(frames)], [1, 2, 3, 4, 5, 6, 7, 8]);
  // At most the one that was in hand is done twice.
  assert.ok(frames.length <= 9, `rendered ${frames}`);
  assert.equal(new Set(rendered().map(([, process]) => process)).size, 2);
  console.log(`${text}, in two processes: ${frames.join(' ')}`);
}

if (role === 'serve') await serve();
else await main().finally(() => rmSync(folder, { recursive: true, force: true }));
