/** The source for architecture tests: files, texts, and imports. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { filesUnder } from '../../scripts/files.ts';

export interface Import {
  /** A path from the root of the repository, or the name of a package or of a `node:` module. */
  readonly to: string;
  /** `type` imports are erased; `lazy` is `import()`. */
  readonly kind: 'static' | 'type' | 'lazy';
}

/** Shipped source files: `src/` without tests and generated files. */
export function sourceFiles(): string[] {
  return filesUnder('src', '.ts').filter((file) => !/\.test(-d)?\.ts$|\/view-script\.ts$/.test(file));
}

/** Caches by file, because files do not change during a run. */
const once = <T>(read: (file: string) => T): ((file: string) => T) => {
  const known = new Map<string, { readonly value: T }>();
  return (file) => {
    const found = known.get(file) ?? { value: read(file) };
    known.set(file, found);
    return found.value;
  };
};

export const textOf: (file: string) => string = once((file) => readFileSync(file, 'utf8'));

/** The code without comments, with unchanged line numbers. */
export const codeOf: (file: string) => string = once((file) =>
  textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/(^|\s)\/\/.*$/gm, '$1'),
);

export const importsOf: (file: string) => readonly Import[] = once((file) => {
  const code = codeOf(file);
  const fixed = [...code.matchAll(/^(?:import|export)\s+(type\s)?(?:[\w*{][^'";]*?from\s+)?'([^']+)'/gm)].map(
    ([, type, to = '']): Import => ({ to: resolve(file, to), kind: type === undefined ? 'static' : 'type' }),
  );
  const lazy = [...code.matchAll(/\bimport\(\s*'([^']+)'/g)].map(
    ([, to = '']): Import => ({ to: resolve(file, to), kind: 'lazy' }),
  );
  return [...fixed, ...lazy];
});

/** The room of a file of `src/`: its folder, or `errors` for `src/errors.ts`. */
export function roomOf(file: string): string {
  return file.split('/')[1] ?? '';
}

/** The source file of each entry point in package.json's `exports`. */
export function entryPoints(): Map<string, string> {
  // An entry point without `default` (package.json itself) is omitted.
  const { exports } = JSON.parse(textOf('package.json')) as { exports: Record<string, string | { default: string }> };
  return new Map(
    Object.entries(exports).flatMap(([entryPoint, target]) =>
      typeof target === 'string' ? [] : [[entryPoint, target.default.replace('./dist', 'src').replace(/js$/, 'ts')]],
    ),
  );
}

/** All modules and packages that a file loads statically, itself included. */
export function reach(entry: string): { files: string[]; outside: string[] } {
  const files = new Set<string>();
  const outside = new Set<string>();
  const queue = [entry];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const { to, kind } of importsOf(file)) {
      if (kind !== 'static') continue;
      if (existsSync(to)) queue.push(to);
      else outside.add(to);
    }
  }
  return { files: [...files].sort(), outside: [...outside].sort() };
}

function resolve(file: string, to: string): string {
  return to.startsWith('.') ? join(dirname(file), to) : to;
}
