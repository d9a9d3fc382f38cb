/** Files are read and replaced only in the room `files`, which handles pipes, devices, limits, owners and links. */
import { expect, test } from 'vitest';
import { codeOf, roomOf, sourceFiles } from '../support/source.ts';

const unbounded = /\b(?:readFile|readFileSync|createReadStream)\b(?!\w*['"]?:)/;

test('no other room than files reads a file without a limit', () => {
  const readers = sourceFiles()
    .filter((file) => roomOf(file) !== 'files')
    .flatMap((file) => {
      const [imported = ''] = codeOf(file).match(/import \{[^}]*\} from 'node:fs(?:\/promises)?';/g) ?? [];
      return unbounded.test(imported) ? [file] : [];
    });
  expect(readers).toEqual([]);
});
