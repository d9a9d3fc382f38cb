/** The public surface behind one declaration file: what it exports, and every declaration those need to be understood. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';

interface Module {
  /** Each top-level declaration by its name; overloads of a function are one text. */
  readonly declared: ReadonlyMap<string, string>;
  /** Names that come from another of our files, or leave through this one: where they are, and what they are called there. */
  readonly elsewhere: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  readonly exported: ReadonlySet<string>;
}

export interface Declared {
  readonly name: string;
  /** The declaration, with what is said about its members; overloads one after the other. */
  readonly text: string;
  /** The comment above it; empty where there is none. */
  readonly about: string;
}

/** What a declaration file exports, each with where it leads. */
export function declarations(entry: string): Declared[] {
  const find = (file: string, name: string): Declared | undefined => {
    const { declared, elsewhere } = read(file);
    const away = elsewhere.get(name);
    if (declared.has(name)) return { name, ...commented(readFileSync(file, 'utf8'), name) };
    return away === undefined ? undefined : find(away.file, away.name);
  };
  return [...read(entry).exported].sort().flatMap((name) => {
    const found = find(entry, name);
    return found === undefined ? [] : [{ ...found, name }];
  });
}

/** Declarations begin at the left margin, and so does the comment above each. */
function commented(text: string, name: string): Pick<Declared, 'text' | 'about'> {
  const start = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|function) ([\w$]+)/;
  const blocks = text.split(/\n(?=\/\*\*|[a-z])/);
  const own = blocks.flatMap((block, at) => (start.exec(block)?.[1] === name ? [at] : []));
  const [first = 0] = own;
  const above = blocks[first - 1] ?? '';
  const about = above.startsWith('/**') ? above.replace(/^\/\*\*|\*\/\s*$/g, '') : '';
  return {
    text: own.map((at) => (blocks[at] ?? '').trimEnd()).join('\n'),
    about: about
      .split('\n')
      .map((line) => line.replace(/^\s*\* ?/, ''))
      .join('\n')
      .trim(),
  };
}

export function surface(entry: string): { names: string[]; text: string } {
  const modules = new Map<string, Module>();
  const load = (file: string): Module => {
    const module = modules.get(file) ?? read(file);
    modules.set(file, module);
    return module;
  };
  const kept = new Map<string, Map<string, string>>();
  const keep = (file: string, name: string): void => {
    const { declared, elsewhere } = load(file);
    const away = elsewhere.get(name);
    if (away !== undefined) keep(away.file, away.name);
    const text = declared.get(name);
    const mine = kept.get(file) ?? new Map<string, string>();
    if (text === undefined || mine.has(name)) return;
    kept.set(file, mine.set(name, text));
    for (const [word] of text.matchAll(/[A-Za-z_$][\w$]*/g)) keep(file, word);
    for (const [, path = '', word = ''] of text.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/g))
      keep(resolve(file, path), word);
  };
  const names = [...load(entry).exported].sort();
  for (const name of names) keep(entry, name);
  const parts = [...kept]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, declared]) => {
      const texts = [...declared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
      return `// ${relative('dist', file)}\n${texts.join('\n')}`;
    });
  return { names, text: parts.join('\n\n') };
}

function read(file: string): Module {
  const declared = new Map<string, string>();
  const elsewhere = new Map<string, { file: string; name: string }>();
  const exported = new Set<string>();
  for (const statement of statements(readFileSync(file, 'utf8'))) {
    const names = /^(import|export) (?:type )?\{([^}]*)\}(?: from ['"](\.[^'"]+)['"])?/.exec(statement);
    if (names !== null) {
      const [, kind, list = '', path] = names;
      for (const item of list
        .split(',')
        .map((part) => part.replace(/\btype\b/, '').trim())
        .filter(Boolean)) {
        const [name = '', local = name] = item.split(' as ');
        if (path !== undefined) elsewhere.set(local, { file: resolve(file, path), name });
        if (kind === 'export') exported.add(local);
      }
      continue;
    }
    const name =
      /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|let|function|namespace) ([\w$]+)/.exec(
        statement,
      )?.[1];
    if (name === undefined) continue;
    declared.set(name, [...(declared.has(name) ? [declared.get(name)] : []), statement].join('\n'));
    if (statement.startsWith('export ')) exported.add(name);
  }
  return { declared, elsewhere, exported };
}

/** Top-level statements: each begins at the left margin with a word, and runs up to the next that does. */
function statements(text: string): string[] {
  const code = text.replace(/^[ \t]*\/\*[\s\S]*?\*\/\n?/gm, '').replace(/^\s*\/\/.*\n?/gm, '');
  return code
    .split(/\n(?=[a-z])/)
    .map((statement) => statement.trim())
    .filter(Boolean);
}

function resolve(file: string, path: string): string {
  return join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts'));
}
