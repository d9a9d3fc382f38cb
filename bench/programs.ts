/**
 * Builds what is measured: Mooring as it is published, and every program here with its types taken off, so that a process
 * under test starts without a loader. Mooring goes to a folder of its own at the root, where its own dependencies are found;
 * nobody else's `npm run build` can change it while the bench runs.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';
import { BUILT, mooringAt } from './mooring-at.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${here}.cache/`;

/** `mooring` is found where it was just built, and stays a package of its own like any other. */
const builtMooring: Plugin = {
  name: 'built-mooring',
  resolveId(id) {
    const file = mooringAt(id, root);
    return file === undefined ? undefined : { id: file, external: 'absolute' };
  },
};

function programs(): string[] {
  const peers = readdirSync(`${here}peers`, { recursive: true, encoding: 'utf8' });
  const servers = peers.filter((file) => /^[^/]+\/[^/]+\.ts$/.test(file)).map((file) => `peers/${file}`);
  return ['run.ts', 'profile.ts', ...servers];
}

/** One by one: together, what they share would become a chunk that a program has to find when it starts. */
async function program(input: string): Promise<void> {
  await build({
    input: `${here}${input}`,
    cwd: here,
    platform: 'node',
    external: [/^(?!mooring|@oxc-project)[\w@]/],
    plugins: [builtMooring],
    transform: { target: 'node20' },
    output: { file: `${cache}${input.replace(/\.ts$/, '.mjs')}`, format: 'esm', codeSplitting: false },
    logLevel: 'warn',
  });
}

rmSync(cache, { recursive: true, force: true });
execFileSync(`${root}node_modules/.bin/rolldown`, ['-c', '--dir', BUILT], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
});
// The types are part of what users install. What is wrong with them is for `npm run build` to say.
spawnSync(`${root}node_modules/.bin/tsc`, ['-p', 'tsconfig.build.json', '--outDir', BUILT], { cwd: root });
await Promise.all(programs().map(program));
