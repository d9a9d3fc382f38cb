/** Runs in a Node with `node:sqlite`: prints each check of the contract, and why it failed. */
import { join } from 'node:path';
import process from 'node:process';
import { sqliteTasks } from '../../src/extensions/tasks/sqlite-store.ts';
import { taskStoreChecks } from '../../src/testing/task-store-checks.ts';

const [, , folder = ''] = process.argv;
for (const { name, run } of taskStoreChecks((place) => sqliteTasks(join(folder, place)))) {
  const why = await run().then(
    () => undefined,
    (thrown: unknown) => String(thrown),
  );
  console.log(JSON.stringify({ name, why }));
}
