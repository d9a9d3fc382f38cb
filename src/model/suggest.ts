/** Finds names that are similar to a mistyped one, for "did you mean". */

/** Limits of what is shown: a server can send names of any length and number. */
const LONGEST = 80;
const MOST = 5;
const MOST_TYPOS = 2;

/** Names within two typos of the word, and names that contain it or are contained in it; nearest first. */
export function nearestNames(word: string, names: Iterable<string>): readonly string[] {
  // A peer can send a word of megabytes, which is compared with each name.
  if (word.length > 2 * LONGEST) return [];
  const typed = word.toLowerCase();
  return (
    [...new Set(names)]
      .filter((name) => name.length <= LONGEST)
      .map((name) => ({ name, far: distance(typed, name.toLowerCase()) }))
      // At least one letter must be unchanged, which matters for short words.
      .filter(({ name, far }) => far <= MOST_TYPOS && far < Math.max(typed.length, name.length))
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
  return typos > MOST_TYPOS && word.length > 2 && (name.includes(word) || word.includes(name)) ? MOST_TYPOS : typos;
}

/**
 * Damerau–Levenshtein distance: insertions, deletions, substitutions, and swaps of adjacent letters. Infinity if there are more than
 * `MOST_TYPOS`: only cells so near to the diagonal are computed, because a server can offer thousands of names.
 */
function editDistance(a: string, b: string): number {
  const [typed, letters] = [[...a], [...b]];
  const far = Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: letters.length + 1 }, (_, at) => at);
  for (const [at, letter] of typed.entries()) {
    const next = [at + 1];
    const end = Math.min(letters.length, at + MOST_TYPOS + 1);
    for (let bt = Math.max(0, at - MOST_TYPOS); bt < end; bt++) {
      const [left, up, corner] = [next[bt] ?? far, row[bt + 1] ?? far, row[bt] ?? far];
      const swapped = at > 0 && bt > 0 && letter === letters[bt - 1] && typed[at - 1] === letters[bt];
      const swap = swapped ? (before[bt - 1] ?? far) + 1 : far;
      next[bt + 1] = Math.min(left + 1, up + 1, corner + (letter === letters[bt] ? 0 : 1), swap);
    }
    before = row;
    row = next;
  }
  return row[letters.length] ?? far;
}
