/** Says, inside a test, which requirements of `ledger/` that test proves. `npm run ledger` collects the calls. */
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../ledger/', import.meta.url);
const known = new Set(
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^- id: (\S+)$/gm)].map(([, id]) => id),
    ),
);

export function verifies(...ids: readonly string[]): void {
  if (ids.length === 0) throw new Error('verifies() was called without ids; name the requirements this test proves');
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new Error(`No requirement in ledger/ is called ${unknown.join(', ')}; look the id up`);
}
