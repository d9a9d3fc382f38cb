import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../../../test/support/command-line.ts';
import { systemClock } from '../../peer/clock.ts';
import { FileWatch } from './watch-files.ts';

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
  const watch = new FileWatch(at('server.ts'), systemClock, () => changed());
  try {
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
