/** The script that `app({ script: true })` inserts is built from `view.ts`, and can be embedded in any page. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { viewScriptFile, viewScriptSource } from '../../../scripts/view-script.ts';
import { VIEW_SCRIPT } from './view-script.ts';

test('the script of a view was written from its source; `npm run view-script` writes it again', async () => {
  expect(readFileSync(viewScriptFile, 'utf8')).toBe(await viewScriptSource());
});

test('the script of a view cannot end its element, has no letters that need an encoding, and is small', () => {
  expect(VIEW_SCRIPT).not.toMatch(/<\/script|<!--/i);
  expect(VIEW_SCRIPT).toMatch(/^[\x20-\x7e\n]*$/);
  expect(gzipSync(VIEW_SCRIPT).length).toBeLessThanOrEqual(5_000);
});
