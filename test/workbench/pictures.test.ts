/** The pictures of the documentation show the page as it is. */
import { expect, test } from 'vitest';
import { eachPicture, shownBefore } from './pictures.ts';

test('what is read on the pictures of the documentation is what the page shows now', async () => {
  const texts: Record<string, string> = {};
  await eachPicture(async ({ scene }, _page, text) => {
    texts[scene] = text;
  });
  // Stale pictures are taken again with `npm run workbench:pictures`.
  expect(texts).toEqual(shownBefore());
});
