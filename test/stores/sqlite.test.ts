/** The contract of a task store with real SQLite files, through two libraries, and file-level faults. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { afterAll, describe, expect, test } from 'vitest';
import { type SqliteDatabase, sqliteTasks } from '../../src/extensions/tasks/index.ts';
import { taskStoreChecks } from '../../src/testing/index.ts';
import { newerNode } from './newer-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'mooring-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const open = (name: string): SqliteDatabase => new Database(join(folder, name));

describe('a database that was opened with another library', () => {
  for (const { name, run } of taskStoreChecks((place) => sqliteTasks(open(place)))) test(name, run);
});

test('node:sqlite passes every check', () => {
  const script = fileURLToPath(new URL('node-sqlite.ts', import.meta.url));
  const args = ['--disable-warning=ExperimentalWarning', script, folder];
  const lines = execFileSync(newerNode(), args, { encoding: 'utf8' }).trim().split('\n');
  const results = lines.map((line) => JSON.parse(line) as { name: string; why?: string });
  expect(results.map(({ name }) => name)).toEqual(taskStoreChecks(() => sqliteTasks('')).map(({ name }) => name));
  expect(results.filter(({ why }) => why !== undefined)).toEqual([]);
});

test.runIf(process.getBuiltinModule('node:sqlite') === undefined)('a Node without SQLite says what to do', () => {
  expect(() => sqliteTasks(join(folder, 'never.db'))).toThrow(/has no node:sqlite\. Open the file with better-sqlite3/);
});

test('writes wait for the disk, and readers do not wait for writers', () => {
  const database = open('settings');
  sqliteTasks(database);
  const pragma = (name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() as object)[0];
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('busy_timeout')]).toEqual(['wal', 2, 5_000]);
});

test('finding tasks does not read the whole table', () => {
  const database = open('plans');
  sqliteTasks(database);
  const plan = (sql: string, ...values: (string | number)[]): string =>
    JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values));
  const from = 'FROM mooring_tasks WHERE';
  expect(plan(`SELECT body ${from} due_at <= ? ORDER BY due_at, id LIMIT ?`, 1, 1)).toMatch(/SEARCH.*tasks_due/);
  expect(plan(`SELECT body ${from} owner = ? AND TRUE ORDER BY created_at, id LIMIT ?`, 'a', 1)).toMatch(
    /SEARCH.*tasks_owner/,
  );
  expect(plan(`SELECT count(*) ${from} is_finished = 0 AND owner = ?`, 'a')).toMatch(/SEARCH.*tasks_unfinished/);
  expect(plan(`SELECT count(*) ${from} is_finished = 0`)).toMatch(/COVERING INDEX mooring_tasks_(unfinished|size)/);
  expect(plan(`SELECT total(length(CAST(body AS BLOB))) ${from} is_finished = 0`)).toMatch(/INDEX mooring_tasks_size/);
});

test('eight processes that open a new file at the same time and count together lose no write', async () => {
  const script = fileURLToPath(new URL('count-up.ts', import.meta.url));
  const place = join(folder, 'together.db');
  const children = Array.from({ length: 8 }, () =>
    spawn(newerNode(), ['--disable-warning=ExperimentalWarning', script, place], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  expect(codes).toEqual(Array(8).fill(0));
  expect((await sqliteTasks(open('together.db')).get('task'))?.progress).toEqual({ done: 8 * 20 });
});

test('a file that another process switches to WAL at the same moment is tried again, and other failures are not', () => {
  const database = open('switched');
  let failures = 2;
  const busy = (message: string): SqliteDatabase => ({
    prepare(sql) {
      if (sql.includes('journal_mode') && failures-- > 0) throw new Error(message);
      return database.prepare(sql);
    },
  });
  expect(sqliteTasks(busy('database is locked'))).toBeDefined();
  expect(failures).toBe(-1);
  failures = 2;
  expect(() => sqliteTasks(busy('disk I/O error'))).toThrow('disk I/O error');
  expect(failures).toBe(1);
});

test('a file that is no database is an error that says so, and stays as it is', () => {
  expect(() => sqliteTasks(new Database(fileURLToPath(import.meta.url)))).toThrow(/not a database/);
});
