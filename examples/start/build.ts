/** Builds the package if there is none, or one that is older than its source. */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { loadConfig } from 'rolldown/config';
import type { Report } from '../../src/cli/progress-text.ts';

/** In the folder of the project. True where something had to be built. */
export async function build(root: string, onProgress: (report: Report) => void): Promise<boolean> {
  const sources = (await readdir(join(root, 'src'), { recursive: true }))
    .filter((file) => /\.(?:tsx?|css|html|svg)$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => join(root, 'src', file));
  const times = await Promise.all(sources.map(async (file) => (await stat(file)).mtimeMs));
  const built = await stat(join(root, 'dist', 'index.js')).catch(() => undefined);
  if (built !== undefined && built.mtimeMs >= Math.max(...times)) return false;
  let seen = 0;
  const counting: Plugin = {
    name: 'counting',
    load: () => onProgress({ progress: ++seen, total: sources.length, message: 'files' }),
  };
  await bundle(root, counting);
  return true;
}

/** Written next to it, then renamed: an interrupted run leaves no half of a package. */
async function bundle(root: string, plugin: Plugin): Promise<void> {
  const [dist, made] = [join(root, 'dist'), join(root, 'node_modules', '.cache', 'mooring-dist')];
  const loaded = await loadConfig(join(root, 'rolldown.config.ts'));
  await mkdir(join(made, '..'), { recursive: true });
  await rm(made, { recursive: true, force: true });
  // The package, and the page of the workbench inside of it.
  for (const config of [loaded].flat()) {
    if (typeof config !== 'object') throw new TypeError('rolldown.config.ts exports objects');
    const output = [config.output].flat()[0];
    await using bundled = await rolldown({ ...config, cwd: root, plugins: [config.plugins, plugin] });
    await bundled.write({ ...output, dir: join(made, relative(dist, join(root, output?.dir ?? 'dist'))) });
  }
  await rm(dist, { recursive: true, force: true });
  await rename(made, dist);
}
