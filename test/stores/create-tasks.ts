/**
 * Tries to create 50 tasks of one owner in a store (see `openPlace`), concurrently with other processes, with a limit of 20.
 * Prints `ready`, starts on input, and prints how many it created.
 */
import { once } from 'node:events';
import process from 'node:process';
import { openPlace } from './places.ts';
import { sampleTask } from './sample-task.ts';

const store = await openPlace(process.argv[2] ?? '');
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const limits = { maxTasks: 1_000, maxTasksPerCaller: 20 };
const tasks = Array.from({ length: 50 }, (_, i) => sampleTask({ id: `${process.pid}-${i}` }));
const created = await Promise.all(tasks.map((task) => store.create(task, limits)));
process.stdout.write(`${created.filter((isNew) => isNew === true).length}\n`);
await store.close?.();
process.exit(0);
