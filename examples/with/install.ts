/**
 * Installs what the examples in this folder need, if it is not there. `better-sqlite3` is fetched ready-made or else compiled, which
 * takes a minute or two; where neither can be done, the others run all the same, and this says what is missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Gives the reason why SQLite cannot be used here, if there is one. */
export function install(): string | undefined {
  if (versionsIn('package-lock.json') !== versionsIn('node_modules/.package-lock.json')) {
    console.log('installing the packages of examples/with');
    // What has to be compiled comes on its own, so that the others need no compiler.
    const { status, said } = npm(['ci', '--ignore-scripts']);
    if (status !== 0) throw new Error(`The packages of examples/with cannot be installed:\n${said}`);
  }
  if (opensDatabases()) return undefined;
  console.log('fetching or compiling better-sqlite3, which may take some minutes');
  const { status, said } = npm(['rebuild', 'better-sqlite3', '--foreground-scripts']);
  return status === 0 ? undefined : `better-sqlite3 can be neither fetched nor compiled here: ${whyNot(said)}`;
}

/** Names and versions of all packages in a lockfile but those that not every machine gets. */
function versionsIn(lockfile: string): string | undefined {
  const path = join(folder, lockfile);
  if (!existsSync(path)) return undefined;
  const { packages } = JSON.parse(readFileSync(path, 'utf8')) as Lockfile; // as npm writes it
  const all = Object.entries(packages).filter(([place, { optional }]) => place !== '' && optional !== true);
  return JSON.stringify(all.map(([place, { version }]) => `${place} ${version}`));
}
interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
}

function opensDatabases(): boolean {
  try {
    const Database: new (path: string) => { close(): void } = createRequire(join(folder, 'sqlite.ts'))(
      'better-sqlite3',
    );
    new Database(':memory:').close();
    return true;
  } catch {
    return false; // not compiled, or for another version of Node
  }
}

function npm(args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const prefix = dirname(dirname(process.execPath));
  const hasHeaders = existsSync(join(prefix, 'include', 'node', 'node.h'));
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    env: {
      // An example needs no fast database, and the compiler takes a minute to make one.
      ...{ CFLAGS: '-O0', CXXFLAGS: '-O0' },
      // The headers that came with this Node, so that none need be fetched.
      ...(hasHeaders ? { npm_config_nodedir: prefix } : {}),
      ...process.env,
    },
  });
  return { status, said: `${stdout ?? ''}${stderr ?? ''}`.trim() };
}

function whyNot(said: string): string {
  const missing = ['python3', 'make', 'g++'].filter((tool) => spawnSync(tool, ['--version']).status !== 0);
  if (missing.length > 0) return `compiling needs ${missing.join(', ')}, which cannot be found`;
  return said.split('\n').slice(-5).join('\n');
}
