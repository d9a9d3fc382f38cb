/**
 * Builds what is measured: Mooring as it is published, and every program here with its types taken off, so that a process
 * under test starts without a loader. Mooring goes to a folder of its own at the root, where its own dependencies are found;
 * nobody else's `npm run build` can change it while the bench runs.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${here}.cache/`;
const ours = '.cache/bench/';

const doors: ReadonlyMap<string, string> = new Map([
  ['mooring', 'index.js'],
  ['mooring/node', 'transport/node.js'],
  ['mooring/stdio', 'transport/stdio.js'],
  ['mooring/client', 'connect/index.js'],
]);

/** `mooring` is found where it was just built, and stays a package of its own like any other. */
const builtMooring: Plugin = {
  name: 'built-mooring',
  resolveId(id) {
    const door = doors.get(id);
    return door === undefined ? undefined : { id: `${root}${ours}${door}`, external: 'absolute' };
  },
};

function programs(): string[] {
  const peers = readdirSync(`${here}peers`, { recursive: true, encoding: 'utf8' });
  const servers = peers.filter((file) => /^[^/]+\/[^/]+\.ts$/.test(file)).map((file) => `peers/${file}`);
  return ['run.ts', 'growth.ts', 'profile.ts', ...servers];
}

/** One by one: together, what they share would become a chunk that a program has to find when it starts. */
async function program(input: string): Promise<void> {
  await build({
    input: `${here}${input}`,
    cwd: here,
    platform: 'node',
    external: [/^(?!mooring)[\w@]/],
    plugins: [builtMooring],
    transform: { target: 'node20' },
    output: { file: `${cache}${input.replace(/\.ts$/, '.mjs')}`, format: 'esm', codeSplitting: false },
    logLevel: 'warn',
  });
}

rmSync(cache, { recursive: true, force: true });
execFileSync(`${root}node_modules/.bin/rolldown`, ['-c', '--dir', ours], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
});
await Promise.all(programs().map(program));
