/** The public surface of an entry point, as its declaration file in `dist/` has it. */
import { readDeclarations } from './declarations.ts';

export interface Declared {
  readonly name: string;
  /** The declaration, with the comments of its members; overloads one after the other. */
  readonly text: string;
  /** The comment above it; empty where there is none. */
  readonly about: string;
}

/** What a declaration file exports. */
export function declarations(entry: string): Declared[] {
  const { declared, exported } = readDeclarations(entry);
  return [...exported].sort().flatMap((name) => {
    const found = declared.get(name);
    return found === undefined ? [] : [{ name, text: found.text, about: bare(found.comment) }];
  });
}

/** A comment without its stars. */
function bare(comment: string): string {
  const lines = comment.replace(/^\/\*\*|\*\/\s*$/g, '').split('\n');
  return lines
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
}

/** The exported names, and every declaration without its comments. */
export function surface(entry: string): { names: string[]; text: string } {
  const { declared, exported } = readDeclarations(entry);
  const texts = [...declared.values()].map(({ text }) =>
    text.replace(/^[ \t]*\/\*[\s\S]*?\*\/\n?/gm, '').replace(/\n{2,}/g, '\n'),
  );
  return { names: [...exported].sort(), text: texts.join('\n') };
}
