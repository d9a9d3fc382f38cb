/** A module with the files of its own that it imports, and those that they import. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readFileBytesSync } from '../../files/read-file.ts';

/** `from './x.js'`, `import './x.js'`, `import('./x.js')`, `require('./x.js')`: a word in quotes that begins with a dot. */
const LOCAL = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;
const ENDINGS = ['', '.ts', '.mts', '.tsx', '.js', '.mjs', '.json', '/index.ts', '/index.js'];

/** No source is larger; what is, imports nothing that is followed. */
const MAX_SOURCE_BYTES: number = 16 * 1024 * 1024;

/** By their text, not by loading them: it must work when the module does not. */
export function localFiles(file: string): readonly string[] {
  const found = new Set<string>([file]);
  for (const one of found) {
    if (/\.json$/i.test(one)) continue;
    for (const [, , name = ''] of readable(one).matchAll(LOCAL)) {
      const imported = located(name, one);
      if (imported !== undefined) found.add(imported);
    }
  }
  return [...found];
}

function readable(file: string): string {
  try {
    return readFileBytesSync(file, { maxBytes: MAX_SOURCE_BYTES })?.toString('utf8') ?? '';
  } catch {
    return '';
  }
}

/** TypeScript writes `./x.js` for what is still `./x.ts`. */
function located(name: string, from: string): string | undefined {
  const path = resolve(dirname(from), name);
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  return [...ENDINGS.map((ending) => path + ending), source].find(
    (candidate) => existsSync(candidate) && statSync(candidate).isFile(),
  );
}
