/** The pictures of the README and of docs/guide/workbench.md: scenes of a real run, and their text. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { scenes } from './scenes.ts';
import { openStage } from './stage.ts';
import { root } from './workbench.ts';

interface Picture {
  readonly scene: string;
  readonly theme: 'light' | 'dark';
  /** The part that is compared; the rest varies between runs. */
  readonly shows: string;
}

/** In the order of the scenes. */
export const pictures: readonly Picture[] = [
  { scene: 'question', theme: 'light', shows: '.pane.call, .asked' },
  { scene: 'apps', theme: 'dark', shows: '[data-screen="apps"] .pane .head, .steps' },
  { scene: 'compare', theme: 'light', shows: '.head, .versus' },
  { scene: 'message', theme: 'dark', shows: 'section.message' },
];
const prerequisites: Readonly<Record<string, readonly string[]>> = { apps: ['tools'] };

export const fileOf = ({ scene, theme }: Picture): string => join(root, `docs/images/workbench-${scene}-${theme}.webp`);

export const textsFile: string = join(root, 'test/workbench/pictures.json');
/** The texts of the stored pictures, by scene. */
export const shownBefore = (): Readonly<Record<string, string>> =>
  existsSync(textsFile) ? (JSON.parse(readFileSync(textsFile, 'utf8')) as Record<string, string>) : {}; // our own file

/** Removes what varies between runs: numbers with units, and spacing. */
export const comparable = (text: string): string =>
  text
    .replaceAll(/<?\d[\d.,:]*(?: (?:ms|s|B|kB|bytes?|tokens?|messages?|members?))?/g, '0')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Sets up each scene, and passes its page and text to `take`. */
export async function eachPicture(take: (picture: Picture, page: Page, text: string) => Promise<void>): Promise<void> {
  await using stage = await openStage({ names: ['sales', 'forms', 'studio'] });
  const { page } = stage;
  const done = new Set<string>();
  for (const picture of pictures) {
    await page.emulateMedia({ colorScheme: picture.theme, reducedMotion: 'reduce' });
    for (const name of [...(prerequisites[picture.scene] ?? []), picture.scene]) {
      if (!done.has(name)) await scenes[name]?.(stage);
      done.add(name);
    }
    await page.mouse.move(0, 0);
    const texts = await page.locator(picture.shows).allInnerTexts();
    await take(picture, page, comparable(texts.join(' ')));
  }
}
