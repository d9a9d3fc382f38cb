/**
 * Installs what the examples in this folder need, once. `better-sqlite3` is fetched ready-made or else compiled, which takes a minute
 * or two; where neither can be done, the others run all the same, and this says what is missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const stamp = join(folder, 'node_modules', '.installed');

/** Gives the reason why SQLite cannot be used here, if there is one. */
export function install(): string | undefined {
  const wanted = `${process.version}\n${readFileSync(join(folder, 'package-lock.json'), 'utf8')}`;
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    console.log('installing the packages of examples/with');
    const fetched = npm(['ci', '--ignore-scripts']);
    if (fetched.status !== 0) throw new Error(`The packages of examples/with cannot be installed:\n${fetched.said}`);
    // Compiled on its own, so that the others need no compiler.
    const built = npm(['rebuild', 'better-sqlite3', '--foreground-scripts']);
    if (built.status !== 0) return `better-sqlite3 can be neither fetched nor compiled here: ${whyNot(built.said)}`;
    writeFileSync(stamp, wanted);
  }
  return undefined;
}

function npm(args: readonly string[]): { status: number | null; said: string } {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stdout, stderr } = spawnSync('npm', [...args, ...quiet], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    // The headers that came with this Node, so that none need be fetched.
    env: headers() === undefined ? process.env : { npm_config_nodedir: headers(), ...process.env },
  });
  return { status, said: `${stdout ?? ''}${stderr ?? ''}`.trim() };
}

function headers(): string | undefined {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? prefix : undefined;
}

function whyNot(said: string): string {
  const tools = ['python3', 'make', 'g++'].filter((tool) => spawnSync(tool, ['--version']).status !== 0);
  if (tools.length > 0) return `a compiler needs ${tools.join(', ')}, which cannot be found`;
  return said.split('\n').slice(-5).join('\n');
}
