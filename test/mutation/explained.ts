/** The explained survivors, and entries that are obsolete. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Mutant } from './mutants.ts';

export interface Explained {
  readonly file: string;
  readonly line: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

export function readExplained(): Explained[] {
  const entries = parse(readFileSync(new URL('explained.yaml', import.meta.url), 'utf8')) as Explained[]; // checked next
  for (const entry of entries) {
    for (const key of ['file', 'line', 'original', 'replacement', 'reason'] as const) {
      // A question mark of an optional call is replaced by nothing.
      if (typeof entry[key] === 'string' && (entry[key] !== '' || key === 'replacement')) continue;
      throw new Error(`An entry of test/mutation/explained.yaml has no ${key}: ${JSON.stringify(entry)}. Write it.`);
    }
  }
  return entries;
}

export function explains(entry: Explained, mutant: Mutant): boolean {
  return (
    entry.file === mutant.file &&
    entry.line === mutant.text &&
    entry.original === mutant.original &&
    entry.replacement === mutant.replacement
  );
}

/** Entries about a file that match no mutant, or only killed ones. */
export function staleEntries(
  entries: readonly Explained[],
  mutants: readonly Mutant[],
  killed: ReadonlySet<Mutant>,
): string[] {
  return entries.flatMap((entry) => {
    const mine = mutants.filter((mutant) => explains(entry, mutant));
    const what = `${entry.file}: ${entry.original} -> ${entry.replacement}`;
    if (mine.length === 0) return [`${what}: the source has no such mutant any more`];
    return mine.every((mutant) => killed.has(mutant)) ? [`${what}: a test kills it now`] : [];
  });
}

export function entryFor({ file, text, original, replacement, line, operator }: Mutant): string {
  const quoted = [text, original, replacement].map((value) => JSON.stringify(value));
  return [
    `- file: ${file} # line ${line}, ${operator}`,
    `  line: ${quoted[0]}`,
    `  original: ${quoted[1]}`,
    `  replacement: ${quoted[2]}`,
    '  reason:',
  ].join('\n');
}
