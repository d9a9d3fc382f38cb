/** Builds the package if there is none, or one that is older than its source. */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { loadConfig } from 'rolldown/config';
import type { Report } from '../../src/cli/progress-bar.ts';

/** In the folder of the project. True where something had to be built. */
export async function build(root: string, onProgress: (report: Report) => void): Promise<boolean> {
  const sources = (await readdir(join(root, 'src'), { recursive: true }))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
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
  const config = await loadConfig(join(root, 'rolldown.config.ts'));
  if (typeof config !== 'object' || Array.isArray(config)) throw new TypeError('rolldown.config.ts is one object');
  await mkdir(join(made, '..'), { recursive: true });
  await using bundled = await rolldown({ ...config, cwd: root, plugins: [plugin] });
  await bundled.write({ ...[config.output].flat()[0], dir: made, cleanDir: true });
  await rm(dist, { recursive: true, force: true });
  await rename(made, dist);
}
