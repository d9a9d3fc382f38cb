/** Finds the unit tests that can reach a source file, nearest by import distance first. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { filesUnder } from '../../scripts/files.ts';

const entryPoints = (JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { compilerOptions: { paths: Paths } }) // tsconfig.json has this form
  .compilerOptions.paths;
type Paths = Readonly<Record<string, readonly string[]>>;

/** The importers of each file, without type imports. */
export function importGraph(): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of [...filesUnder('src', '.ts'), ...filesUnder('test', '.ts')]) {
    if (/^test\/(interop|e2e|browser|runtime|mutation)\//.test(file)) continue;
    for (const imported of importsOf(file)) importers.set(imported, [...(importers.get(imported) ?? []), file]);
  }
  return importers;
}

/** The nearest tests, and all tests next to the file, even if their imports are farther. */
export function nearestTests(
  target: string,
  importers: ReadonlyMap<string, readonly string[]>,
  count: number = Number.POSITIVE_INFINITY,
): string[] {
  const distance = new Map([[target, 0]]);
  for (const [file, steps] of distance) {
    for (const importer of importers.get(file) ?? []) {
      if (!distance.has(importer)) distance.set(importer, steps + 1); // a Map visits entries that are added while it is iterated
    }
  }
  const own = target.replace(/\.ts$/, '.test.ts');
  const rank = (file: string): number =>
    file === own ? -1 : (distance.get(file) ?? 0) * 2 + (dirname(file) === dirname(target) ? 0 : 1);
  // Of equally distant tests, those with similar names come first.
  const words = wordsOf(target);
  const alike = (file: string): number => [...wordsOf(basename(file))].filter((word) => words.has(word)).length;
  return [...distance.keys()]
    .filter((file) => /^(src|test\/features|test\/conformance)\/.*\.test\.ts$/.test(file))
    .sort((a, b) => rank(a) - rank(b) || alike(b) - alike(a))
    .filter((file, index) => index < count || dirname(file) === dirname(target));
}

/** Without a plural s. */
const wordsOf = (file: string): ReadonlySet<string> => new Set(file.split(/\W+/).map((word) => word.replace(/s$/, '')));

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8').replace(/^(?:import|export) type [^;]*;$/gm, '');
  const named = [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name);
  return named.flatMap((name) => {
    if (!name.startsWith('.')) return entryPoints[name]?.map((path) => path.replace('./', '')) ?? [];
    const path = join(dirname(file), name);
    return existsSync(path) ? [path] : [];
  });
}
