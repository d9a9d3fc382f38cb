/** Mooring over HTTP with task tools and a plain tool. Tasks are stored in memory or in an SQLite file. */
import Database from 'libsql';
import { createServer, tool } from 'mooring';
import { serveHttp } from 'mooring/node';
import { memoryTasks, sqliteTasks, type TaskStore } from 'mooring/tasks';
import { SERVER, setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { message } from '../zod-inputs.ts';

const { room, servers } = setup();
const { tasks: file } = servers;
const MANY = 1_000_000;
const echo = tool({ name: 'echo', input: message, run: (input) => input.message });
const echoLater = tool({
  name: 'echo_later',
  input: message,
  // No minimum poll interval, and a short retention, because the benchmark creates hundreds of thousands of tasks.
  task: { pollMs: 0, runMs: 2_000, keepMs: 2_000 },
  run: (input) => input.message,
});
const approve = tool({
  name: 'approve',
  input: message,
  task: true,
  run: async (input, ctx) => ((await ctx.confirm('sure', input.message)) ? 'yes' : 'no'),
});
/** Runs until the benchmark ends. */
const sail = tool({
  name: 'sail',
  input: message,
  task: { pollMs: 0 },
  run: (_, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener('abort', () => resolve('home'))),
});
function inFile(path: string): TaskStore {
  const database = new Database(path);
  const kept = sqliteTasks(database);
  // The file is used to measure memory; syncing 30,000 writes would take minutes.
  database.exec('PRAGMA synchronous = OFF');
  return kept;
}

const store = file === undefined ? memoryTasks() : inFile(file);
const tasks = { store, maxRunning: MANY, maxTasks: MANY, maxTasksPerCaller: MANY };
const server = createServer({ ...SERVER, parts: [echo, echoLater, approve, sail], tasks });
const { url } = await serveHttp(server, { port: 0, maxBodyBytes: room });

underTest(url);
