/** Parses declaration files of the compiler: top-level statements, each with the comment above it. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** One top-level declaration. */
export interface Declaration {
  readonly name: string;
  /** Without its comment. Overloads of a function are joined. */
  readonly text: string;
  /** The comment above it; empty if there is none. */
  readonly comment: string;
}

/** An imported name, and its name in the other file. */
export interface Imported {
  /** One of our paths, or the name of a foreign module. */
  readonly from: string;
  readonly name: string;
}

export interface DeclarationFile {
  readonly declared: ReadonlyMap<string, Declaration>;
  readonly imported: ReadonlyMap<string, Imported>;
  readonly exported: ReadonlySet<string>;
}

const declaration =
  /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|let|function|namespace) ([\w$]+)/;

export function readDeclarations(file: string): DeclarationFile {
  const declared = new Map<string, Declaration>();
  const imported = new Map<string, Imported>();
  const exported = new Set<string>();
  let comment = '';
  let last: string | undefined;
  // Statements and their comments start at the left margin.
  for (const block of readFileSync(file, 'utf8').split(/\n(?=\/\*\*|[a-z])/)) {
    const text = block.trim();
    if (text.startsWith('/**')) {
      if (text.endsWith('*/')) comment = text;
      else last = continued(declared, last, text);
      continue;
    }
    const list = /^(import|export) (?:type )?\{([^}]*)\}(?: from ['"]([^'"]+)['"])?/.exec(text);
    const name = declaration.exec(text)?.[1];
    if (list !== null) {
      const [, kind, names = '', path] = list;
      for (const [local, original] of namesIn(names)) {
        if (path !== undefined) imported.set(local, { from: resolve(file, path), name: original });
        if (kind === 'export') exported.add(local);
      }
    } else if (name !== undefined) {
      const before = declared.get(name);
      const whole = before === undefined ? text : `${before.text}\n${text}`;
      declared.set(name, { name, text: whole, comment: before?.comment ?? comment });
      last = name;
      if (text.startsWith('export ')) exported.add(name);
    }
    comment = '';
  }
  return { declared, imported, exported };
}

/** A comment on a union member can start at the left margin; such text belongs to the declaration before it. */
function continued(declared: Map<string, Declaration>, name: string | undefined, text: string): string | undefined {
  const before = name === undefined ? undefined : declared.get(name);
  if (before === undefined) throw new Error(`Text that belongs to no declaration: ${text}`);
  declared.set(before.name, { ...before, text: `${before.text}\n${text}` });
  return name;
}

/** Parses `a, type b as c` into local and original names. */
function namesIn(list: string): [local: string, original: string][] {
  const items = list.split(',').map((item) => item.replace(/\btype\b/, '').trim());
  return items.filter(Boolean).map((item) => {
    const [original = '', local = original] = item.split(' as ');
    return [local, original];
  });
}

function resolve(file: string, path: string): string {
  return path.startsWith('.') ? join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')) : path;
}
