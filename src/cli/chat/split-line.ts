/** A typed line as words, the way a shell reads them: quotes keep blanks together. */

/** A quote counts at the beginning of a word and after its first `=`; elsewhere it is a character, as in JSON. */
const word = /(?:([^\s"'=]+=)|(?=\S))(?:"((?:[^"\\]|\\.)*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S*))/g;

export function splitLine(line: string): readonly string[] {
  return [...line.matchAll(word)].flatMap(([whole, key = '', double, single, bare = '']) => {
    if (whole === '') return [];
    if (double !== undefined) return [key + double.replace(/\\(["\\])/g, '$1')];
    return [key + (single ?? bare)];
  });
}
