/**
 * Cites, inside a test, the requirements of `ledger/` that the test proves. Stored with the test, so that `npm run ledger` counts
 * citations of tests that passed.
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
  // Vitest cannot tell which concurrent test is calling.
  if (test.concurrent === true) throw new Error('verifies() was called in a concurrent test; cite in one that is not');
  test.meta.verifies = [...new Set([...(test.meta.verifies ?? []), ...ids])];
}
