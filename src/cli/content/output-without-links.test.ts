/** Results on a file system without hard links. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Shell } from '../shell.ts';
import { openOutputTarget } from './output-target.ts';

vi.mock('node:fs/promises', async (load) => ({
  ...(await load<object>()),
  link: () => Promise.reject(Object.assign(new Error('not supported'), { code: 'EPERM' })),
}));

test('results are saved where there are no hard links, and replace no file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-output-'));
  try {
    const shell = { cwd: folder, signal: new AbortController().signal } as unknown as Shell; // the members that are read
    const target = await openOutputTarget({ out: folder }, shell);
    const bytes = [1, 2].map((byte) => new Uint8Array([byte]));
    const saved = await target?.save(bytes.map((one) => ({ name: 'a', mimeType: 'image/png', bytes: one })));
    expect(saved).toEqual([join(folder, 'a.png'), join(folder, 'a-2.png')]);
    expect([...(await readFile(join(folder, 'a.png')))]).toEqual([1]);
    expect(await readdir(folder)).toHaveLength(2);
  } finally {
    await rm(folder, { recursive: true });
  }
});
