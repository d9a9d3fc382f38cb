/**
 * Builds Mooring as it is published, and strips the types of every program here, so that no loader runs in a process under
 * test. Mooring is built into its own folder, so `npm run build` does not change it during a run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';
import { BUILT, mooringAt } from './mooring-at.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${here}.cache/`;

/** Resolves `mooring` to the build, as an external package. */
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

/** One by one: a joint build would share chunks, which slow down the start of a program. */
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
// The declarations are part of the installed size. Type errors are reported by `npm run build`.
spawnSync(`${root}node_modules/.bin/tsc`, ['-p', 'tsconfig.build.json', '--outDir', BUILT], { cwd: root });
await Promise.all(programs().map(program));
