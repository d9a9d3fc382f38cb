/** Task limits apply to all processes of one store together. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Laboratory, openLaboratory, type StoreKind } from './laboratory.ts';
import { newerNode } from './newer-node.ts';

let lab: Laboratory;
const children: ChildProcessWithoutNullStreams[] = [];
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await lab.close();
});

const kinds: readonly StoreKind[] = ['sqlite', 'redis'];

describe.each(kinds)('two processes on one store, with %s', (kind) => {
  test('servers that are called at the same time begin no more tasks than maxTasks', async () => {
    const site = lab.site(kind);
    try {
      const env = { MAX_TASKS: '5', STOP_AT: 'in handler', LEASE_MS: '60000' };
      const workers = await Promise.all([site.worker(env), site.worker(env)]);
      const calls = workers.flatMap((worker) => Array.from({ length: 20 }, () => worker.start('order')));
      const settled = await Promise.allSettled(calls);
      const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
      expect(new Set(reasons)).toEqual(new Set(['Error: Too many unfinished tasks: 5 (maxTasks)']));
      expect(settled.length - reasons.length).toBe(5);
    } finally {
      await site.end();
    }
  });

  test('stores that create tasks of one caller at the same time create no more than maxTasksPerCaller', async () => {
    const { store } = lab.site(kind);
    const makers = [startMaker(store), startMaker(store)];
    for (const { lines } of makers) expect((await lines.next()).value).toBe('ready');
    for (const { child } of makers) child.stdin.write('go\n');
    const counts = await Promise.all(makers.map(async ({ lines }) => Number((await lines.next()).value)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(20);
  });
});

function startMaker(store: string): { child: ChildProcessWithoutNullStreams; lines: AsyncIterator<string> } {
  const script = fileURLToPath(new URL('create-tasks.ts', import.meta.url));
  const child = spawn(newerNode(), ['--disable-warning=ExperimentalWarning', script, store]);
  children.push(child);
  child.stderr.pipe(process.stderr);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}
