/** Tests that a lock file is trusted only as far as it has the form that `writeLock` writes. */
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLock } from './lock-file.ts';
import { hashForm } from './lock-item.ts';

let folder: string;
let path: string;
let warnings: string[];
const read = (): ReturnType<typeof readLock> => readLock(path, (warning) => void warnings.push(warning));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-lock-'));
  path = join(folder, 'mcp.lock');
  warnings = [];
});
afterEach(() => rm(folder, { recursive: true }));

test.each(['null', '7', '"x"', '{}', '{"lockfile":"1"}'])('the file %s is not a lock file', async (text) => {
  await writeFile(path, text);
  await expect(read()).rejects.toThrow('it is not a lock file of version 1');
});

test('a file of more than 64 MiB is not read', async () => {
  await writeFile(path, '');
  await truncate(path, 64 * 1024 * 1024 + 1);
  await expect(read()).rejects.toThrow(`${64 * 1024 * 1024}`);
});

test('servers and entries of another shape approve nothing, and each such entry is named', async () => {
  const definition = { name: 'a' };
  const hashed = (approved: unknown): object => ({ approved, definition, hash: hashForm({ approved, definition }) });
  const parts = {
    'tool right': hashed(true),
    ...{ 'tool number': 7, 'tool null': null, 'tool list': [], 'tool bare': { approved: true } },
    ...{ 'tool text': hashed('true'), 'tool one': hashed(1), 'tool loose': { approved: true, definition } },
  };
  const shop = { address: 'a', claims: 'b', handshake: 7, parts };
  await writeFile(path, JSON.stringify({ lockfile: 1, servers: { shop, other: 7, none: null, odd: { parts: 7 } } }));
  const servers = await read();
  expect([...servers].map(([label, { pins }]) => [label, [...pins.keys()]])).toEqual([
    ['shop', ['tool right']],
    ...['other', 'none', 'odd'].map((label) => [label, []]),
  ]);
  expect(servers.get('shop')).toMatchObject({ address: 'a', claims: 'b' });
  expect(servers.get('shop')?.handshake).toBeUndefined();
  expect(warnings).toEqual(
    Object.keys(parts)
      .slice(1)
      .map((id) => `${path}: shop: "${id}" was edited by hand and counts as new`),
  );
});
