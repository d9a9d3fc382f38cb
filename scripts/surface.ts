/** Reads the public API of an entry point from its declaration file in `dist/`. */
import { readDeclarations } from './declarations.ts';

export interface Declared {
  readonly name: string;
  /** The declaration, with comments of its members; overloads are joined. */
  readonly text: string;
  /** The comment above it; empty if there is none. */
  readonly about: string;
}

/** The exports of a declaration file. */
export function declarations(entry: string): Declared[] {
  const { declared, exported } = readDeclarations(entry);
  return [...exported].sort().flatMap((name) => {
    const found = declared.get(name);
    return found === undefined ? [] : [{ name, text: found.text, about: bare(found.comment) }];
  });
}

/** A comment without asterisks. */
function bare(comment: string): string {
  const lines = comment.replace(/^\/\*\*|\*\/\s*$/g, '').split('\n');
  return lines
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
}

/** The exported names, and all declarations without comments. */
export function surface(entry: string): { names: string[]; text: string } {
  const { declared, exported } = readDeclarations(entry);
  const texts = [...declared.values()].map(({ text }) =>
    text.replace(/^[ \t]*\/\*[\s\S]*?\*\/\n?/gm, '').replace(/\n{2,}/g, '\n'),
  );
  return { names: [...exported].sort(), text: texts.join('\n') };
}
