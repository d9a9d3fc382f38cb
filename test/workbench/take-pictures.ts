/** Takes the pictures of the README and of docs/guide/workbench.md: `npm run workbench:pictures`, after `npm run build`. */
import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { eachPicture, fileOf, textsFile } from './pictures.ts';

/** A fifth of the size of a PNG. Encoded by the browser, on a blank page without a content policy. */
async function webp(page: Page): Promise<Buffer> {
  const picture = await page.screenshot();
  const blank = await page.context().newPage();
  const encoded = await blank.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
    let text = '';
    for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte);
    return btoa(text);
  }, picture.toString('base64'));
  await blank.close();
  return Buffer.from(encoded, 'base64');
}

const texts: Record<string, string> = {};
await eachPicture(async (picture, page, text) => {
  texts[picture.scene] = text;
  await writeFile(fileOf(picture), await webp(page));
});
await writeFile(textsFile, `${JSON.stringify(texts, null, 2)}\n`);
