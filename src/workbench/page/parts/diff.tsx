/** A diff of two texts, by lines, and by words within changed lines. */
import { useMemo } from 'preact/hooks';
import { lineDiff, sharedEnds } from '../../../model/line-diff.ts';

/** Splits a line into words and separators. */
const wordsOf = (line: string): readonly string[] => line.split(/\b/);

export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const rows = useMemo(() => lineDiff(before.split('\n'), after.split('\n')), [before, after]);
  return (
    <div class="diff" role="group" aria-label={label}>
      {rows.map((row, at) => {
        const key = `${at}${row.sign}`;
        if (row.sign === ' ') return <span key={key}>{row.text}</span>;
        const Element = row.sign === '-' ? 'del' : 'ins';
        const other = row.sign === '-' ? rows[at + 1] : rows[at - 1];
        const isPair = other !== undefined && other.sign !== ' ' && other.sign !== row.sign;
        const words = wordsOf(row.text);
        const [head, tail] = isPair ? sharedEnds(words, wordsOf(other.text)) : [words.length, 0];
        const end = words.length - tail;
        return (
          <Element key={key}>
            {words.slice(0, head).join('')}
            {isPair && <mark>{words.slice(head, end).join('')}</mark>}
            {words.slice(end).join('')}
          </Element>
        );
      })}
    </div>
  );
}
