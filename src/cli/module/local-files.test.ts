import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../../../test/support/command-line.ts';
import { FileWatch } from '../../files/file-watch.ts';
import { systemClock } from '../../peer/clock.ts';
import { localFiles } from './local-files.ts';

test('finds the files of its own that a module imports, however it spells them', async () => {
  await using project = await folder();
  const at = (name: string): string => join(project.path, name);
  await mkdir(at('lib'));
  const files = new Map([
    [
      'main.ts',
      `import { a } from './a.js';\nimport "./lib/index.js";\nexport * from "./b.ts";\nimport z from 'zod';\n`,
    ],
    ['a.ts', `const c = await import('./c.mjs');\nimport './main.ts';\nimport './not-there.js';\n`],
    ['b.ts', `const d = require('./d');\n`],
    ['c.mjs', ''],
    ['d.js', `import data from './e.json' with { type: 'json' };\n`],
    ['e.json', '{}'],
    ['lib/index.ts', ''],
    ['stranger.ts', ''],
  ]);
  for (const [name, text] of files) await writeFile(at(name), text);
  const expected = [...files.keys()].filter((name) => name !== 'stranger.ts').map(at);
  expect([...localFiles(at('main.ts'))].toSorted()).toEqual(expected.toSorted());
});

test('a change is noticed in what a module imports, also when a new file takes its place or one that was missing appears', async () => {
  await using project = await folder();
  const at = (name: string): string => join(project.path, name);
  await writeFile(at('server.ts'), `import './part.ts';\nimport './missing.ts';\n`);
  await writeFile(at('part.ts'), 'export {};\n');
  let changed = (): void => undefined;
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      changed = resolve;
    });
  const watch = new FileWatch(() => localFiles(at('server.ts')), systemClock);
  try {
    await watch.open();
    watch.start(() => changed());
    for (const change of [
      () => writeFile(at('part.ts'), 'export const a = 1;\n'),
      async () => {
        await writeFile(at('part.ts~'), 'export const a = 2;\n');
        await rename(at('part.ts~'), at('part.ts'));
      },
      () => writeFile(at('missing.ts'), 'export {};\n'),
    ]) {
      const noticed = next();
      await change();
      await expect(noticed).resolves.toBeUndefined();
    }
  } finally {
    watch.close();
  }
});
