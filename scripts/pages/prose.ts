/** Extracts the prose of a page, counts words and finds long sentences. */

function proseOf(source: string): string {
  return source.replace(/^(\s*)(`{3,})[^`]*?\n[\s\S]*?^\s*\2\s*$/gm, '').replace(/<!--[\s\S]*?-->/g, '');
}

export function countWords(source: string): number {
  return proseOf(source)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Sentences of paragraphs and lists with more than this many words. Inline code counts as one word; tables are ignored. */
export function longSentences(source: string, most: number): string[] {
  const paragraphs = proseOf(source)
    .split('\n')
    .map((line) =>
      /^\s*(?:\||#)/.test(line) ? '' : line.replace(/^\s*>\s?/, '').replace(/^\s*(?:[-*]|\d+\.) +/, '\n'),
    )
    .join('\n')
    .split(/\n\s*\n/);
  return paragraphs
    .map((text) =>
      text
        .replace(/`[^`]*`/g, '`x`')
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .flatMap((text) => text.split(/(?<=[.!?][)"*_]*) (?=[\p{Lu}\d`"*_(])/u))
    .filter((sentence) => sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length > most);
}
