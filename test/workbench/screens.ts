/**
 * Takes screenshots of every screen of the workbench from a real run, in both themes, at 1280 and 800 px and at 200 % zoom:
 * `tsx test/workbench/screens.ts [folder] [scene …]`. Needs `npm run build`, and the packages of test/workbench.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { emptyScenes, scenes } from './scenes.ts';
import { openStage, type Stage } from './stage.ts';

const [folder = '.cache/workbench-screens', ...only] = process.argv.slice(2);
const sizes = [
  ['1280', 1280, 800],
  ['800', 800, 800],
  ['zoom', 640, 400],
] as const;

async function shoot({ page }: Stage, name: string): Promise<void> {
  // Away from all elements.
  await page.mouse.move(0, 0);
  for (const theme of ['light', 'dark'] as const)
    for (const [size, width, height] of sizes) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(200);
      await page.screenshot({ path: join(resolve(folder), `${name}-${size}-${theme}.png`), fullPage: size === 'zoom' });
    }
  await page.setViewportSize({ width: 1280, height: 800 });
}

await mkdir(resolve(folder), { recursive: true });
for (const [all, names] of [
  [scenes, ['sales', 'forms', 'studio']],
  [emptyScenes, []],
] as const) {
  if (only.length > 0 && !only.some((name) => name in all)) continue;
  await using stage = await openStage({ names });
  for (const [name, prepare] of Object.entries(all)) {
    if (only.length > 0 && !only.includes(name)) continue;
    await prepare(stage).catch((error: unknown) => console.error(`${name}: ${String(error).slice(0, 300)}`));
    await shoot(stage, name);
    console.log(name);
  }
  for (const one of stage.complaints) console.error(one);
}
