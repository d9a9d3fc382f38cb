/** Finds the local files that a module imports, transitively, for hot reload. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readFileBytesSync } from '../../files/read-file.ts';

/** Relative specifiers in `from './x.js'`, `import './x.js'`, `import('./x.js')` and `require('./x.js')`. */
const LOCAL = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;
const ENDINGS = ['', '.ts', '.mts', '.tsx', '.js', '.mjs', '.json', '/index.ts', '/index.js'];

/** Imports of larger files are not followed. */
const MAX_SOURCE_BYTES: number = 16 * 1024 * 1024;

/** Scans the source text, so that it works while the module cannot be loaded. */
export function localFiles(file: string): readonly string[] {
  const found = new Set<string>([file]);
  for (const one of found) {
    if (/\.json$/i.test(one)) continue;
    for (const [, , name = ''] of sourceText(one).matchAll(LOCAL)) {
      const imported = resolveImport(name, one);
      if (imported !== undefined) found.add(imported);
    }
  }
  return [...found];
}

function sourceText(file: string): string {
  try {
    return readFileBytesSync(file, { maxBytes: MAX_SOURCE_BYTES })?.toString('utf8') ?? '';
  } catch {
    return '';
  }
}

/** TypeScript sources import `./x.ts` as `./x.js`. */
function resolveImport(name: string, from: string): string | undefined {
  const path = resolve(dirname(from), name);
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  return [...ENDINGS.map((ending) => path + ending), source].find(
    (candidate) => existsSync(candidate) && statSync(candidate).isFile(),
  );
}
