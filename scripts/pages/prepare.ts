/**
 * One folder of packages for all pages, in `.cache/pages`: those of `test/pages/package-lock.json`, and the packed Mooring.
 * Rebuilt when the lockfile or the built package changes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { filesUnder } from '../files.ts';

export interface Packages {
  /** The prepared `node_modules` folder. */
  readonly folder: string;
  /** The packages that a page can install. */
  readonly known: readonly string[];
}

const cache = resolve('.cache/pages');
const list = 'test/pages/package.json';
const lockfile = 'test/pages/package-lock.json';
const folder = `${cache}/node_modules`;

export function preparePackages(): Packages {
  if (isStale()) npm('.', 'run', '--silent', 'build');
  mkdirSync(cache, { recursive: true });
  const hasChanged = whenChanged('packages', [lockfile], () => {
    copyFileSync(list, `${cache}/package.json`);
    copyFileSync(lockfile, `${cache}/package-lock.json`);
    npm(cache, 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error');
  });
  if (hasChanged) rmSync(`${cache}/mooring.digest`, { force: true });
  whenChanged('mooring', ['package.json', 'README.md', ...filesUnder('dist', '')], () => {
    for (const old of readdirSync(cache).filter((file) => file.endsWith('.tgz'))) rmSync(`${cache}/${old}`);
    npm('.', 'pack', '--ignore-scripts', '--silent', '--pack-destination', cache);
    const tarball = readdirSync(cache).find((file) => file.endsWith('.tgz')) ?? '';
    rmSync(`${folder}/mooring`, { recursive: true, force: true });
    npm(
      cache,
      'install',
      '--no-save',
      '--ignore-scripts',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      `./${tarball}`,
    );
  });
  const { dependencies } = JSON.parse(readFileSync(list, 'utf8')) as { dependencies: Record<string, string> }; // ours
  return { folder, known: ['mooring', ...Object.keys(dependencies)] };
}

/** Whether the build is older than the source. */
function isStale(): boolean {
  if (!existsSync('dist/index.js')) return true;
  const built = statSync('dist/index.js').mtimeMs;
  return filesUnder('src', '.ts').some((file) => !file.endsWith('.test.ts') && statSync(file).mtimeMs > built);
}

function whenChanged(what: string, files: readonly string[], make: () => void): boolean {
  const digest = createHash('sha256');
  for (const file of files) digest.update(`${file}\0`).update(readFileSync(file));
  const now = digest.digest('hex');
  const record = `${cache}/${what}.digest`;
  if (existsSync(record) && readFileSync(record, 'utf8') === now) return false;
  rmSync(record, { force: true });
  make();
  writeFileSync(record, now);
  return true;
}

function npm(cwd: string, ...args: string[]): void {
  console.log(`     npm ${args[0] === 'run' ? 'run build' : args[0]} …`);
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, NODE_ENV: '' } });
}
