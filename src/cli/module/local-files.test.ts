import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../../../test/support/command-line.ts';
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
