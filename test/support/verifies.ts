/**
 * Says, inside a test, which requirements of `ledger/` that test proves. The citation is kept with the test that makes it,
 * so that `npm run ledger` counts what ran and passed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { TestRunner } from 'vitest';

const folder = new URL('../../ledger/', import.meta.url);
const known = new Set(
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^- id: (\S+)$/gm)].map(([, id]) => id),
    ),
);

declare module 'vitest' {
  interface TaskMeta {
    /** The requirements that a test has cited. */
    verifies?: readonly string[];
  }
}

export function verifies(...ids: readonly string[]): void {
  if (ids.length === 0) throw new Error('verifies() was called without ids; name the requirements this test proves');
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new Error(`No requirement in ledger/ is called ${unknown.join(', ')}; look the id up`);
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('verifies() was called outside of a test; call it in the body of one');
  // Vitest does not know which of several tests at once is calling.
  if (test.concurrent === true) throw new Error('verifies() was called in a concurrent test; cite in one that is not');
  test.meta.verifies = [...new Set([...(test.meta.verifies ?? []), ...ids])];
}
