/** Two texts and what is different: by lines, and by words within a line that changed. */
import { lineDiff, sharedEnds } from '../../../model/line-diff.ts';

export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const rows = lineDiff(before.split('\n'), after.split('\n'));
  return (
    <div class="diff" role="group" aria-label={label}>
      {rows.map((row, at) => {
        const key = `${at}${row.sign}`;
        if (row.sign === ' ') return <span key={key}>{row.text}</span>;
        const Element = row.sign === '-' ? 'del' : 'ins';
        const other = row.sign === '-' ? rows[at + 1] : rows[at - 1];
        const isPair = other !== undefined && other.sign !== ' ' && other.sign !== row.sign;
        const [head, tail] = isPair ? sharedEnds(row.text, other.text) : [row.text.length, 0];
        return (
          <Element key={key}>
            {row.text.slice(0, head)}
            {isPair && <mark>{row.text.slice(head, row.text.length - tail)}</mark>}
            {row.text.slice(row.text.length - tail)}
          </Element>
        );
      })}
    </div>
  );
}
