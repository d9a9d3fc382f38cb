/** A digest of all files that tests read, so that results of an earlier state do not count as proof. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { filesUnder } from './files.ts';

const READ: readonly (readonly [folder: string, endings: readonly string[]])[] = [
  ['src', ['.ts']],
  ['test', ['.ts', '.mjs', '.yml', '.yaml']],
  ['scripts', ['.ts']],
  ['examples', ['.ts', '.mjs']],
  ['ledger', ['.yaml']],
  // Documentation proves some duties.
  ['docs', ['.md']],
];

export function treeState(root = '.'): string {
  const digest = createHash('sha256');
  const files = READ.flatMap(([folder, endings]) =>
    endings.flatMap((ending) => filesUnder(`${root}/${folder}`, ending)),
  );
  for (const file of [...files, `${root}/package-lock.json`, `${root}/vitest.config.ts`]) {
    digest
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return digest.digest('hex').slice(0, 16);
}
