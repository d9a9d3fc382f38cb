/** Measures what `npm install` brings: packages with all their dependencies. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Installed {
  readonly packages: number;
  readonly bytes: number;
}

/** The folders of these packages and of all their dependencies, resolved as Node does. */
export function closure(names: readonly string[], from: string): Set<string> {
  const found = new Set<string>();
  const visit = (name: string, asking: string): void => {
    const folder = folderOf(name, asking);
    if (folder === undefined) throw new Error(`${name} is not installed beside ${asking}`);
    if (found.has(folder)) return;
    found.add(folder);
    for (const needed of neededBy(folder)) visit(needed, folder);
  };
  for (const name of names) visit(name, from);
  return found;
}

export function weigh(folders: Iterable<string>): Installed {
  const all = [...folders];
  return { packages: all.length, bytes: all.reduce((sum, folder) => sum + weight(folder), 0) };
}

function neededBy(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest; // npm's own format
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies), ...peers];
}

function folderOf(name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (at === dirname(at)) return undefined;
  }
}

/** Bytes of all files, without nested packages, which are counted separately. */
export function weight(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + weight(path);
    return sum + statSync(path).size;
  }, 0);
}
