/** Finds names that are similar to a mistyped one, for "did you mean". */

/** Limits of what is shown: a server can send names of any length and number. */
const LONGEST = 80;
const MOST = 5;

/** Names within two typos of the word, and names that contain it or are contained in it; nearest first. */
export function nearestNames(word: string, names: Iterable<string>): readonly string[] {
  const typed = word.toLowerCase();
  return (
    [...new Set(names)]
      .filter((name) => name.length <= LONGEST)
      .map((name) => ({ name, far: distance(typed, name.toLowerCase()) }))
      // At least one letter must be unchanged, which matters for short words.
      .filter(({ name, far }) => far <= 2 && far < Math.max(typed.length, name.length))
      .toSorted((a, b) => a.far - b.far)
      .slice(0, MOST)
      .map(({ name }) => name)
  );
}

/** A hint for an error text: similar names, or else the available ones. */
export function suggest(word: string, names: readonly string[]): string {
  const likely = nearestNames(word, names);
  if (likely.length > 0) return `did you mean ${likely.join(' or ')}?`;
  if (names.length === 0) return 'none are available';
  const more = names.length > MOST * 2 ? `, and ${names.length - MOST * 2} more` : '';
  return `available: ${names.slice(0, MOST * 2).join(', ')}${more}`;
}

function distance(word: string, name: string): number {
  const typos = editDistance(word, name);
  return typos > 2 && word.length > 2 && (name.includes(word) || word.includes(name)) ? 2 : typos;
}

/** Damerau–Levenshtein distance: insertions, deletions, substitutions, and swaps of adjacent letters. */
function editDistance(a: string, b: string): number {
  const [typed, letters] = [[...a], [...b]];
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: letters.length + 1 }, (_, at) => at);
  for (const [at, letter] of typed.entries()) {
    const next = [at + 1];
    for (const [bt, other] of letters.entries()) {
      const [left = 0, up = 0, corner = 0] = [next[bt], row[bt + 1], row[bt]];
      const swapped = at > 0 && bt > 0 && letter === letters[bt - 1] && typed[at - 1] === other;
      const swap = swapped ? (before[bt - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(left + 1, up + 1, corner + (letter === other ? 0 : 1), swap));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
