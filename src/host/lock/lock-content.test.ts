import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../peer/clock.ts';
import { LockContent } from './lock-content.ts';
import type { LockedServer } from './lock-file.ts';

const MIB = 1024 * 1024;

async function content() {
  const folder = await mkdtemp(join(tmpdir(), 'lock-content-'));
  const path = join(folder, 'mcp.lock');
  let changes = 0;
  const onChange = (): void => {
    changes++;
  };
  return {
    lock: new LockContent({ path, clock: systemClock, onWarning: () => undefined, onChange }),
    text: () => readFile(path, 'utf8').catch(() => ''),
    changes: () => changes,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A server with one definition of this size. */
function serverOf(bytes: number): LockedServer {
  const definition = { description: 'x'.repeat(bytes) };
  return { address: 'a', claims: 'a 1', pins: new Map([['tool a', { approved: false, hash: '', definition }]]) };
}

const adding = (label: string, server: LockedServer) => (servers: ReadonlyMap<string, LockedServer>) =>
  new Map(servers).set(label, server);

test('of changes that are written together, only the one that makes the lock file too large fails', async () => {
  await using at = await content();
  const bytes = new Map([
    ['small', 1],
    ['large', 40 * MIB],
    ['too-large', 30 * MIB],
    ['last', 1],
  ]);
  const done = await Promise.allSettled(
    [...bytes].map(([label, size]) => at.lock.change(adding(label, serverOf(size)))),
  );
  expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(done[2]).toMatchObject({
    reason: { code: 'MCP_HOST_FILE', message: expect.stringContaining(`larger than ${64 * MIB} bytes`) },
  });
  expect([...at.lock.servers.keys()]).toEqual(['small', 'large', 'last']);
  const text = await at.text();
  expect([...bytes.keys()].filter((label) => text.includes(`"${label}": {`))).toEqual(['small', 'large', 'last']);
  expect(at.changes()).toBe(1);
});

test('a change that makes the lock file too large on its own fails, and the next one is written', async () => {
  await using at = await content();
  await expect(at.lock.change(adding('a', serverOf(65 * MIB)))).rejects.toMatchObject({ code: 'MCP_HOST_FILE' });
  expect([await at.text(), at.changes()]).toEqual(['', 0]);
  await at.lock.change(adding('b', serverOf(1)));
  expect(await at.text()).toContain('"b": {');
});
