/**
 * Writes one declaration file per entry point, with everything it refers to. Other declarations are not shipped.
 * Type names are unique in the source (test/arch/names.test.ts), so declarations can be joined unchanged.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path/posix';
import { type Declaration, type DeclarationFile, readDeclarations } from './declarations.ts';

const [compiled = '.cache/types', target = 'dist'] = process.argv.slice(2);

const files = new Map<string, DeclarationFile>();
const load = (file: string): DeclarationFile => {
  const known = files.get(file) ?? readDeclarations(file);
  files.set(file, known);
  return known;
};

/** Collects the declarations of one entry point. */
class Rollup {
  readonly #kept = new Map<string, { readonly file: string; readonly declaration: Declaration }>();
  readonly #foreign = new Map<string, Set<string>>();

  keep(file: string, name: string): void {
    const { declared, imported } = load(file);
    const away = imported.get(name);
    if (away !== undefined) this.#follow(away.from, away.name, name);
    const found = declared.get(name);
    if (found === undefined) return;
    const known = this.#kept.get(name);
    if (known?.file === file) return;
    if (known !== undefined) throw new Error(`${name} is declared in ${known.file} and in ${file}; rename one of them`);
    this.#kept.set(name, { file, declaration: found });
    for (const [word] of withoutComments(found.text).matchAll(/[A-Za-z_$][\w$]*/g)) this.keep(file, word);
  }

  #follow(from: string, name: string, local: string): void {
    if (name !== local) throw new Error(`${from}: ${name} is imported as ${local}; a rollup cannot rename it`);
    if (from.endsWith('.d.ts')) this.keep(from, name);
    else this.#foreign.set(from, (this.#foreign.get(from) ?? new Set()).add(name));
  }

  text(exported: ReadonlySet<string>): string {
    const imports = [...this.#foreign].map(
      ([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}';`,
    );
    const declarations = [...this.#kept.values()]
      .map(({ declaration }) => declaration)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, text, comment }) => {
        const bare = text.replace(/^export /gm, '');
        const own = exported.has(name)
          ? bare.replace(/^(?=[a-z])/gm, 'export ')
          : bare.replace(needsDeclare, 'declare ');
        return comment === '' ? own : `${comment}\n${own}`;
      });
    // Programs that compile for older libraries lack the types of `await using`.
    const isDisposable = declarations.some((text) => /\bAsyncDisposable\b|\.asyncDispose\b/.test(text));
    const libraries = isDisposable ? ['/// <reference lib="esnext.disposable" />'] : [];
    // `export {}` hides declarations without `export`.
    return [...libraries, ...imports.sort(), ...declarations, 'export {};', ''].join('\n');
  }
}

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '');

/** Classes, functions and values need `declare` unless they are exported. */
const needsDeclare = /^(?:declare )?(?=(?:abstract )?(?:class|const|function) )/gm;

// An entry point without `types` (package.json itself) has no declarations.
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, { types?: string }> };
for (const { types } of Object.values(exports)) {
  if (types === undefined) continue;
  const entry = types.replace('./dist', compiled);
  const { exported } = load(entry);
  const rollup = new Rollup();
  for (const name of exported) rollup.keep(entry, name);
  const path = types.replace('./dist', target);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, rollup.text(exported));
}
