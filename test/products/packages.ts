/** The packages of a product: one folder per product, with exact versions and a lockfile. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const packageFolder = (name: string): string => fileURLToPath(new URL(`packages/${name}`, import.meta.url));

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const readManifest = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest; // npm wrote it

/** Installs the packages of the lockfile, if necessary. */
export async function installPackages(name: string): Promise<void> {
  const folder = packageFolder(name);
  const { dependencies } = readManifest(join(folder, 'package.json'));
  const isThere = Object.entries(dependencies).every(([one, version]) => installedVersion(name, one) === version);
  if (isThere) return;
  // Not `npm ci`, which rejects a lockfile without the optional packages of other platforms.
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['--prefix', folder, 'install', ...options], { timeout: 600_000 });
}

export function installedVersion(name: string, one: string): string | undefined {
  const file = join(packageFolder(name), 'node_modules', one, 'package.json');
  return existsSync(file) ? readManifest(file).version : undefined;
}
