/**
 * A real database server: questions in SQL with parameters, the schema as resources, every table under a template. Nothing can be
 * written, by three locks: the file is opened for reading, statements must be queries, and there is one statement at a time.
 *
 *   npx tsx sqlite.ts        in examples/with, after npm ci
 */
import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import Database from 'better-sqlite3';
import { createServer, resource, ToolError, tool } from 'mooring';
import * as z from 'zod';
import { everywhere } from '../support/everywhere.ts';

// ---- a database of books
const folder = mkdtempSync(join(tmpdir(), 'mooring-sqlite-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
const file = join(folder, 'books.db');
const made = new Database(file);
made.exec(`
  CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE books (id INTEGER PRIMARY KEY, author INTEGER REFERENCES authors, title TEXT NOT NULL, year INTEGER);
  INSERT INTO authors (name) VALUES ('Tove Jansson'), ('Stanisław Lem');
  INSERT INTO books (author, title, year) VALUES (1, 'Comet in Moominland', 1946), (1, 'The Summer Book', 1972), (2, 'Solaris', 1961);
`);
made.close();

// #region query
// Rows are limited, time is not: while SQLite thinks, this process waits. Where strangers write the questions, put it into a worker.
const MAX_ROWS = 100;
const db = new Database(file, { readonly: true, fileMustExist: true });
const value = z.union([z.string(), z.number(), z.null()]);

/** Up to MAX_ROWS rows, and whether there were more. The rest is never read. */
function rowsOf(statement: Database.Statement, parameters: readonly unknown[] = []) {
  const rows: Record<string, z.infer<typeof value>>[] = [];
  for (const row of statement.iterate(...parameters)) {
    if (rows.length === MAX_ROWS) return { rows, more: true };
    rows.push(z.record(z.string(), value.catch('(a blob)')).parse(row));
  }
  return { rows, more: false };
}

const query = tool({
  name: 'query',
  description: 'Asks the database a question in SQL. Put values into parameters, and a ? in their place.',
  effects: 'read',
  input: z.object({ sql: z.string().max(10_000), parameters: z.array(value).max(100).default([]) }),
  output: z.object({ rows: z.array(z.record(z.string(), value)), more: z.boolean() }),
  text: ({ rows, more }) =>
    rows.map((row) => JSON.stringify(row)).join('\n') + (more ? `\n(and more: ask for less)` : ''),
  run({ sql, parameters }) {
    try {
      const statement = db.prepare(sql);
      if (statement.reader && statement.readonly) return rowsOf(statement, parameters);
    } catch (error) {
      // What SQLite has to say about a statement helps to write a better one.
      if (error instanceof Database.SqliteError || error instanceof RangeError) throw new ToolError(error.message);
      throw error;
    }
    throw new ToolError('Only questions are answered here: SELECT, WITH, EXPLAIN');
  },
});
// #endregion

// #region schema
const tables = z
  .array(z.object({ name: z.string(), sql: z.string() }))
  .parse(db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all());

const schema = tables.map(({ name, sql }) =>
  resource({
    uri: `sqlite://books/schema/${encodeURIComponent(name)}`,
    name,
    mimeType: 'application/sql',
    read: () => sql,
  }),
);

const table = resource({
  uri: 'sqlite://books/tables/{table}',
  name: 'table',
  description: `The first ${MAX_ROWS} rows of a table`,
  mimeType: 'application/json',
  complete: { table: (start) => tables.map(({ name }) => name).filter((name) => name.startsWith(start)) },
  read({ table }) {
    // A name is no parameter in SQL; it is one of those that exist, or nothing is asked.
    if (!tables.some(({ name }) => name === table)) return undefined;
    return rowsOf(db.prepare(`SELECT * FROM "${table.replaceAll('"', '""')}"`));
  },
});

const books = createServer({ name: 'books', version: '1.0.0', parts: [query, table, ...schema] });
// #endregion

await everywhere({ server: books, file: import.meta.url }, async (client) => {
  const ask = (sql: string, parameters: (string | number)[] = []): Promise<string> =>
    client.attempt('query', { sql, parameters }).then(({ text }) => text);

  const titles = 'SELECT title FROM books JOIN authors ON author = authors.id WHERE name = ? ORDER BY year';
  assert.match(await ask(titles, ['Tove Jansson']), /^{"title":"Comet in Moominland"}\n{"title":"The Summer Book"}/);
  assert.doesNotMatch(await ask(titles, ["' OR 1 = 1 --"]), /Solaris/, 'a parameter is a value, whatever is in it');
  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n';
  assert.match(await ask(endless), /{"i":100}\n\(and more: ask for less\)/);

  for (const sql of ['DELETE FROM books', "ATTACH 'x.db' AS x", 'UPDATE books SET year = 1 RETURNING id'])
    assert.match(await ask(sql), /Only questions/, sql);
  assert.match(await ask('SELECT 1; DROP TABLE books'), /more than one statement/);
  assert.match(await ask('SELECT title FROM boks'), /no such table: boks/);

  const listed = await client.list('resources').all();
  assert.equal(listed.map(({ name }) => name).join(), 'authors,books');
  assert.match((await client.read('sqlite://books/schema/authors')).text, /^CREATE TABLE authors/);
  const ref = { type: 'ref/resource', uri: 'sqlite://books/tables/{table}' } as const;
  assert.deepEqual((await client.complete(ref, { name: 'table', value: 'b' })).values, ['books']);
  assert.equal(JSON.parse((await client.read('sqlite://books/tables/books')).text).rows.length, 3);
  await assert.rejects(client.read('sqlite://books/tables/sqlite_schema'), /not found/i);
});
