/** The pictures in the documentation show the current page. */
import { expect, test } from 'vitest';
import { eachPicture, shownBefore } from './pictures.ts';

test('what is read on the pictures of the documentation is what the page shows now', async () => {
  const texts: Record<string, string> = {};
  await eachPicture(async ({ scene }, _page, text) => {
    texts[scene] = text;
  });
  // Update them with `npm run workbench:pictures`.
  expect(texts).toEqual(shownBefore());
});
