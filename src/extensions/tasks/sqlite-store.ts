/** `sqliteTasks`: a task store in a SQLite file, which any number of processes on one machine can share. */
import process from 'node:process';
import { badDefinition, messageOf } from '../../errors.ts';
import { checkMethod } from '../../model/check-argument.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { holderOf, holderText, readTask } from '../../server/tasks/stored-text.ts';

/** A prepared statement of `node:sqlite`, `better-sqlite3` or a compatible library. */
export interface SqliteStatement {
  run(...values: (string | number | null)[]): { readonly changes: number | bigint };
  get(...values: (string | number | null)[]): unknown;
  all(...values: (string | number | null)[]): unknown[];
}

/** An open database: a `DatabaseSync` of `node:sqlite`, a `Database` of `better-sqlite3`, or a compatible object. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
}

/** How long a statement waits for another process's lock, in milliseconds. */
const BUSY_MS = 5_000;
const RETRY_MS = 20;
/** The bytes of a task. An index has them, so that their sum reads no task. */
const size = 'length(CAST(body AS BLOB))';
const setup = [
  // NORMAL can lose the last writes on a power failure, for example the record that a step has started, which must not run twice.
  'PRAGMA synchronous = FULL',
  `CREATE TABLE IF NOT EXISTS mooring_tasks (id TEXT PRIMARY KEY, owner TEXT NOT NULL, version INTEGER NOT NULL,
    created_at INTEGER NOT NULL, due_at INTEGER NOT NULL, renewed_until INTEGER, holder TEXT NOT NULL,
    is_finished INTEGER NOT NULL, body TEXT NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS mooring_tasks_due ON mooring_tasks (due_at, id)',
  'CREATE INDEX IF NOT EXISTS mooring_tasks_owner ON mooring_tasks (owner, created_at, id)',
  'CREATE INDEX IF NOT EXISTS mooring_tasks_unfinished ON mooring_tasks (owner) WHERE is_finished = 0',
  `CREATE INDEX IF NOT EXISTS mooring_tasks_size ON mooring_tasks (${size}) WHERE is_finished = 0`,
];

const select = 'SELECT body, renewed_until AS renewedUntil FROM mooring_tasks WHERE';
const own = `${select} owner = ? AND`;
const count = 'SELECT count(*) AS count FROM mooring_tasks WHERE is_finished = 0';
const countOwn = `${count} AND owner = ?`;
const sum = `SELECT total(${size}) FROM mooring_tasks WHERE is_finished = 0`;
const columns = '?, ?, ?, ?, ?, NULL, ?, ?, ?';
const update = `UPDATE mooring_tasks SET version = ?, due_at = ?, renewed_until = NULL, holder = ?, is_finished = ?, body = ?
  WHERE id = ? AND version = ?`;
const statements = {
  insert: `INSERT INTO mooring_tasks VALUES (${columns}) ON CONFLICT DO NOTHING`,
  // One atomic statement: no other process can create a task between counting and inserting.
  insertWithin: `INSERT INTO mooring_tasks SELECT ${columns} WHERE (${count}) < ? AND (${countOwn}) < ?
    AND (${sum}) + ? <= ? ON CONFLICT DO NOTHING`,
  update,
  updateWithin: `${update} AND (? <= ${size} OR (${sum}) - ${size} + ? <= ?)`,
  renew: 'UPDATE mooring_tasks SET due_at = ?, renewed_until = ? WHERE id = ? AND holder = ?',
  get: `${select} id = ?`,
  due: `${select} due_at <= ? ORDER BY due_at, id LIMIT ?`,
  first: `${own} TRUE ORDER BY created_at, id LIMIT ?`,
  after: `${own} (created_at, id) > (SELECT created_at, id FROM mooring_tasks WHERE owner = ? AND id = ?)
    ORDER BY created_at, id LIMIT ?`,
  countOwn,
  countAll: count,
  remove: 'DELETE FROM mooring_tasks WHERE id = ?',
};

/** Stores tasks in a SQLite file, which `node:sqlite` opens, or in a database that you opened. */
export function sqliteTasks(fileOrDatabase: string | SqliteDatabase): TaskStore {
  if (typeof fileOrDatabase !== 'string')
    checkMethod(fileOrDatabase, 'prepare', 'sqliteTasks(file)', 'a file or a database');
  let opened = typeof fileOrDatabase === 'string' ? openFile(fileOrDatabase) : undefined;
  const database = opened ?? (fileOrDatabase as SqliteDatabase); // not a string
  enableWal(database);
  for (const sql of setup) database.prepare(sql).run();
  // Prepares each statement once, under the same key.
  const prepared = Object.fromEntries(
    Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql)]),
  ) as Record<keyof typeof statements, SqliteStatement>;
  const change = (name: keyof typeof statements, ...values: (string | number | null)[]): boolean =>
    Number(prepared[name].run(...values).changes) === 1;
  const state = (task: StoredTask): [holder: string, isFinished: number, body: string] => [
    holderOf(task),
    task.outcome === undefined ? 0 : 1,
    JSON.stringify(task),
  ];
  const countOf = (owner: string | undefined): number => {
    const row = owner === undefined ? prepared.countAll.get() : prepared.countOwn.get(owner);
    return (row as { readonly count: number }).count; // an aggregate always has one row
  };
  return {
    async create(task, limits) {
      const { id, owner } = task;
      const [holder, isFinished, body] = state(task);
      const row = [id, owner, task.version, task.createdAt, task.dueAt, holder, isFinished, body];
      if (limits === undefined) return change('insert', ...row);
      const { maxTasks, maxTasksPerCaller = Infinity, maxBytes = Infinity } = limits;
      // Without a limit per caller, counts for owner null, which no task has.
      const counted = maxTasksPerCaller === Infinity ? null : owner;
      const within = [maxTasks, counted, maxTasksPerCaller, Buffer.byteLength(body), maxBytes];
      if (change('insertWithin', ...row, ...within)) return true;
      if (prepared.get.get(id)) return false;
      if (countOf(owner) >= maxTasksPerCaller) return 'maxTasksPerCaller';
      return countOf(undefined) >= maxTasks ? 'maxTasks' : 'maxBytes';
    },
    get: async (id) => readRows([prepared.get.get(id)])[0],
    async put(task, expected, maxBytes) {
      const [holder, isFinished, body] = state(task);
      const row = [task.version, task.dueAt, holder, isFinished, body, task.id, expected];
      if (maxBytes === undefined || isFinished === 1) return change('update', ...row);
      const bytes = Buffer.byteLength(body);
      if (change('updateWithin', ...row, bytes, bytes, maxBytes)) return true;
      return readRows([prepared.get.get(task.id)])[0]?.version === expected ? 'maxBytes' : false;
    },
    renew: async (id, holder, until) => change('renew', until, until, id, holderText(holder)),
    list: async (owner, after, limit) =>
      readRows(after === undefined ? prepared.first.all(owner, limit) : prepared.after.all(owner, owner, after, limit)),
    due: async (now, limit) => readRows(prepared.due.all(now, limit)),
    count: async (owner) => countOf(owner),
    async delete(id) {
      prepared.remove.run(id);
    },
    /** Closes the file. Does not close a database that you opened. */
    close() {
      opened?.close();
      opened = undefined;
    },
  };
}

/**
 * Pragmas run with `get`: each returns a row, and some libraries hold a lock until it is read. If two processes switch a new file at
 * the same moment, SQLite fails one of them at once, whatever its `busy_timeout`, so the switch is retried here.
 */
function enableWal(database: SqliteDatabase): void {
  database.prepare('PRAGMA busy_timeout = 0').get();
  for (let left = BUSY_MS / RETRY_MS; ; left--) {
    try {
      database.prepare('PRAGMA journal_mode = WAL').get();
      break;
    } catch (error) {
      if (left === 0 || !messageOf(error).includes('locked')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
  database.prepare(`PRAGMA busy_timeout = ${BUSY_MS}`).get();
}

/** Parses rows of `select`. Depending on the library, a missing row is undefined or null. */
const readRows = (rows: readonly unknown[]): StoredTask[] =>
  (rows as ({ readonly body: string; readonly renewedUntil: number | null } | null | undefined)[]).flatMap((row) =>
    row ? [readTask(row.body, row.renewedUntil)] : [],
  );

/** The used part of `node:sqlite`. */
interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => SqliteDatabase & { close(): void };
}

function openFile(file: string): InstanceType<NodeSqlite['DatabaseSync']> {
  const sqlite = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined; // missing in the types of Node 20
  if (sqlite !== undefined) return new sqlite.DatabaseSync(file);
  throw badDefinition(
    'sqliteTasks()',
    `Node ${process.versions.node} has no node:sqlite. Open the file with better-sqlite3 and pass the database`,
  );
}
