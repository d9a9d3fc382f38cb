/** Words, without their endings and without those that say nothing. */

export const splitWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’ʼ]/g, "'")
    .match(/[\p{L}\p{N}]+(?:'[\p{L}]+)?/gu) ?? [];

/** English endings, roughly: for telling words apart, not for grammar. */
export function stem(word: string): string {
  if (word.length < 4 || /[^a-z']/.test(word)) return word;
  const bare = word.replace(/'s$/, '');
  return doubled(
    bare
      .replace(/(ss|us|is)$/, '$1\u0000')
      .replace(/ies$/, 'y')
      .replace(/(x|ch|sh|z)es$/, '$1')
      .replace(/s$/, '')
      .replace('\u0000', '')
      .replace(/(?<=[a-z]{3})ing$/, '')
      .replace(/(?<=[a-z]{3})ed$/, '')
      .replace(/(?<=[a-z]{3})e$/, ''),
  );
}

/** `getting` and `get`. */
const doubled = (word: string): string => word.replace(/([bdgklmnprt])\1$/, '$1');

export const stopwords: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be been but by can could did do does each either etc for from further had has have here his how i if in into is it its ' +
    'just like may me might more most must my of on once one or other our out over own per please same shall she should so some such than that the ' +
    'their them then there these they this those through to too under until up upon us use used using very via was we were what when where ' +
    'whether which while who whom will with would you your'
  ).split(' '),
);

/** Whether one word is the other with a slip of the pen. */
export function isNearly(a: string, b: string): boolean {
  const most = Math.max(a.length, b.length);
  const allowed = most >= 8 ? 2 : most >= 4 ? 1 : 0;
  return Math.abs(a.length - b.length) <= allowed && distance(a, b) <= allowed;
}

/** Letters to change, add or leave out; two that swapped places are one change. Words are short, so the whole table is small. */
function distance(a: string, b: string): number {
  if (a.length > 64 || b.length > 64) return 64;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + same,
        swapped ? at(i - 2, j - 2) + 1 : 64,
      );
    }
  }
  return at(a.length, b.length);
}
