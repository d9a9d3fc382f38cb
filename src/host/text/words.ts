/** Splits text into words for searching, with stemming and stop words. */

export const splitWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’ʼ]/g, "'")
    .match(/[\p{L}\p{N}]+(?:'[\p{L}]+)?/gu) ?? [];

/** Removes English endings, roughly, for comparing words. */
export function stem(word: string): string {
  if (word.length < 4 || /[^a-z']/.test(word)) return word;
  const bare = word.replace(/'s$/, '');
  return undouble(
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

/** `gett` of `getting` becomes `get`. */
const undouble = (word: string): string => word.replace(/([bdgklmnprt])\1$/, '$1');

export const stopwords: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be been but by can could did do does each either etc for from further had has have here his how i if in into is it its ' +
    'just like may me might more most must my of on once one or other our out over own per please same shall she should so some such than that the ' +
    'their them then there these they this those through to too under until up upon us use used using very via was we were what when where ' +
    'whether which while who whom will with would you your'
  ).split(' '),
);
