/** Increases the progress of a task in a SQLite file by 20, concurrently with other processes. */
import process from 'node:process';
import { sqliteTasks } from '../../src/extensions/tasks/sqlite-store.ts';
import { sampleTask } from './sample-task.ts';

const store = sqliteTasks(process.argv[2] ?? '');
await store.create(sampleTask());
for (let done = 0; done < 20; ) {
  const task = (await store.get('task')) ?? sampleTask();
  const next = { ...task, version: task.version + 1, progress: { done: (task.progress?.done ?? 0) + 1 } };
  if (await store.put(next, task.version)) done++;
}
await store.close?.();
