/** Only `src/revisions/` contains dates, comments included, so that a new revision is a folder and a line. */
import { expect, test } from 'vitest';
import { roomOf, sourceFiles, textOf } from '../support/source.ts';

/** Versions of the apps extension are dates, too. */
const versionOfApps = 'src/extensions/apps/apps-names.ts';

test('no file outside src/revisions/ names a revision', () => {
  const named = sourceFiles()
    .filter((file) => roomOf(file) !== 'revisions' && file !== versionOfApps)
    .flatMap((file) =>
      [...textOf(file).matchAll(/^.*\b20\d\d-\d\d-\d\d\b.*/gm)].map(([line]) => `${file}: ${line.trim()}`),
    );
  expect(named).toEqual([]);
});
