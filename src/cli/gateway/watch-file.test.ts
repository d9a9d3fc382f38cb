import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../../../test/support/command-line.ts';
import { systemClock } from '../../peer/clock.ts';
import { fileDigest, watchFile } from './serve-gateway.ts';

test('what was written before the first look is noticed', async () => {
  await using place = await folder();
  const path = join(place.path, 'gateway.yaml');
  await writeFile(path, 'one');
  const known = (await fileDigest(path)) ?? '';
  await writeFile(path, 'two');
  await new Promise<void>((changed) => {
    const stop = watchFile(path, {
      clock: systemClock,
      known,
      changed: () => {
        stop();
        changed();
      },
    });
  });
  expect(await fileDigest(path)).not.toBe(known);
  expect(await fileDigest(join(place.path, 'none'))).toBeUndefined();
});
