/** Ranks the commands that match a query of the palette. */

export interface PaletteMatch<T> {
  readonly item: T;
  readonly start: number;
  readonly length: number;
}

/** The score of a match by initials. */
const WORST = 4;

interface Searchable {
  readonly title: string;
  readonly detail?: string;
  readonly group: string;
}

/**
 * Ranks matches: equal title, word prefix, substring, detail, initials. Groups stay together, ordered by their best match.
 * Messages are last, because most of them only mention what the user is looking for.
 */
export function rankCommands<T extends Searchable>(all: readonly T[], query: string): PaletteMatch<T>[] {
  const scored = all.flatMap((item) => {
    const match = matchOf(item, query.toLowerCase());
    return match === undefined ? [] : [{ item, ...match }];
  });
  const bestOf = new Map<string, number>();
  for (const { item, score } of scored)
    bestOf.set(item.group, Math.min(score, bestOf.get(item.group) ?? Number.POSITIVE_INFINITY));
  const groups = [...new Set(all.map(({ group }) => group))];
  const rank = (group: string): number =>
    (group === 'Messages' ? WORST + 1 : (bestOf.get(group) ?? 0)) * groups.length + groups.indexOf(group);
  return scored.toSorted((left, right) => rank(left.item.group) - rank(right.item.group) || left.score - right.score);
}

function matchOf(item: Searchable, query: string): { score: number; start: number; length: number } | undefined {
  if (query === '') return { score: 0, start: 0, length: 0 };
  const title = item.title.toLowerCase();
  const start = title.indexOf(query);
  const word = title.search(new RegExp(`(?<![a-z0-9])${query.replaceAll(/[^\w]/g, '\\$&')}`));
  if (title === query) return { score: 0, start: 0, length: query.length };
  if (word !== -1) return { score: 1, start: word, length: query.length };
  if (start !== -1) return { score: 2, start, length: query.length };
  if (item.detail?.toLowerCase().includes(query) === true) return { score: 3, start: 0, length: 0 };
  return hasInitials(title, query) ? { score: WORST, start: 0, length: 0 } : undefined;
}

/** Whether the letters of the query are, in order, the beginnings of words of the title, such as `opview` of "open the view". */
function hasInitials(title: string, query: string): boolean {
  let found = 0;
  let last = -1;
  for (const [at, letter] of [...title].entries()) {
    const isInitial = at === 0 || /[^a-z0-9]/.test(title[at - 1] ?? '');
    if (letter !== query[found] || !(isInitial || (found > 0 && last === at - 1))) continue;
    found++;
    last = at;
  }
  return found === query.length;
}
