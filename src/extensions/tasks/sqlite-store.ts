/** Tasks in a SQLite file: for any number of processes on one machine. */
import process from 'node:process';
import { badDefinition } from '../../errors.ts';
import { checkMethod } from '../../model/check-argument.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import { holderOf, holderText, readTask } from '../../server/tasks/stored-text.ts';

/** A prepared statement, as `node:sqlite`, `better-sqlite3` and others have it. */
export interface SqliteStatement {
  run(...values: (string | number | null)[]): { readonly changes: number | bigint };
  get(...values: (string | number | null)[]): unknown;
  all(...values: (string | number | null)[]): unknown[];
}

/** An open database: a `DatabaseSync` of `node:sqlite`, a `Database` of `better-sqlite3`, or any object that does the same. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
}

/** They return a row, and some libraries hold a lock until it is read. The first lets all others wait for other processes. */
const modes = ['PRAGMA busy_timeout = 5000', 'PRAGMA journal_mode = WAL'];
const setup = [
  // NORMAL can forget the last writes when the machine loses power: the intent of a step that must not run twice, for one.
  'PRAGMA synchronous = FULL',
  `CREATE TABLE IF NOT EXISTS mooring_tasks (id TEXT PRIMARY KEY, owner TEXT NOT NULL, version INTEGER NOT NULL,
    created_at INTEGER NOT NULL, due_at INTEGER NOT NULL, renewed_until INTEGER, holder TEXT NOT NULL,
    is_finished INTEGER NOT NULL, body TEXT NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS mooring_tasks_due ON mooring_tasks (due_at, id)',
  'CREATE INDEX IF NOT EXISTS mooring_tasks_owner ON mooring_tasks (owner, created_at, id)',
  'CREATE INDEX IF NOT EXISTS mooring_tasks_unfinished ON mooring_tasks (owner) WHERE is_finished = 0',
];

const select = 'SELECT body, renewed_until AS renewedUntil FROM mooring_tasks WHERE';
const own = `${select} owner = ? AND`;
const count = 'SELECT count(*) AS count FROM mooring_tasks WHERE is_finished = 0';
const countOwn = `${count} AND owner = ?`;
const columns = '?, ?, ?, ?, ?, NULL, ?, ?, ?';
const statements = {
  insert: `INSERT INTO mooring_tasks VALUES (${columns}) ON CONFLICT DO NOTHING`,
  // One statement, which has the file for itself: no other process creates a task between counting and inserting.
  insertWithin: `INSERT INTO mooring_tasks SELECT ${columns} WHERE (${count}) < ? AND (${countOwn}) < ? ON CONFLICT DO NOTHING`,
  update: `UPDATE mooring_tasks SET version = ?, due_at = ?, renewed_until = NULL, holder = ?, is_finished = ?, body = ?
    WHERE id = ? AND version = ?`,
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

/** Keeps tasks in a file, by `node:sqlite`, or in a database that you opened. */
export function sqliteTasks(fileOrDatabase: string | SqliteDatabase): TaskStore {
  if (typeof fileOrDatabase !== 'string')
    checkMethod(fileOrDatabase, 'prepare', 'sqliteTasks(file)', 'a file or a database');
  let opened = typeof fileOrDatabase === 'string' ? openFile(fileOrDatabase) : undefined;
  const database = opened ?? (fileOrDatabase as SqliteDatabase); // it is no text
  for (const sql of modes) database.prepare(sql).get();
  for (const sql of setup) database.prepare(sql).run();
  // The same keys with what is made of each.
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
      const row = [id, owner, task.version, task.createdAt, task.dueAt, ...state(task)];
      if (limits === undefined) return change('insert', ...row);
      const { maxTasks, maxTasksPerCaller = Infinity } = limits;
      // No task has null for its owner, so there are none to count where their number does not matter.
      const counted = maxTasksPerCaller === Infinity ? null : owner;
      if (change('insertWithin', ...row, maxTasks, counted, maxTasksPerCaller)) return true;
      if (prepared.get.get(id)) return false;
      return countOf(owner) >= maxTasksPerCaller ? 'maxTasksPerCaller' : 'maxTasks';
    },
    get: async (id) => readRows([prepared.get.get(id)])[0],
    put: async (task, expected) => change('update', task.version, task.dueAt, ...state(task), task.id, expected),
    renew: async (id, holder, until) => change('renew', until, until, id, holderText(holder)),
    list: async (owner, after, limit) =>
      readRows(after === undefined ? prepared.first.all(owner, limit) : prepared.after.all(owner, owner, after, limit)),
    due: async (now, limit) => readRows(prepared.due.all(now, limit)),
    count: async (owner) => countOf(owner),
    async delete(id) {
      prepared.remove.run(id);
    },
    /** A database that you opened is yours to close. */
    close() {
      opened?.close();
      opened = undefined;
    },
  };
}

/** Rows of `select`; none is undefined or null, by the library. */
const readRows = (rows: readonly unknown[]): StoredTask[] =>
  (rows as ({ readonly body: string; readonly renewedUntil: number | null } | null | undefined)[]).flatMap((row) =>
    row ? [readTask(row.body, row.renewedUntil)] : [],
  );

/** As much of `node:sqlite` as is used here. */
interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => SqliteDatabase & { close(): void };
}

function openFile(file: string): InstanceType<NodeSqlite['DatabaseSync']> {
  const sqlite = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined; // the types of Node 20 do not know it
  if (sqlite !== undefined) return new sqlite.DatabaseSync(file);
  throw badDefinition(
    'sqliteTasks()',
    `Node ${process.versions.node} has no node:sqlite. Open the file with better-sqlite3 and pass the database`,
  );
}
