/** A unified diff of two versions of a file, with secrets masked. */
import { type DiffLine, lineDiff } from '../../model/line-diff.ts';
import { maskSecrets } from '../../model/secrets.ts';

const CONTEXT_LINES = 3;

/** Empty if nothing differs. */
export function unifiedDiff(name: string, before: string, after: string): readonly string[] {
  if (before === after) return [];
  const pieces = lineDiff(linesOf(before), linesOf(after));
  const hunks = hunksOf(pieces).map(([from, to]) => [
    header(pieces, from, to),
    ...pieces.slice(from, to).map(diffLine),
  ]);
  return [`--- ${before === '' ? '/dev/null' : name}`, `+++ ${name}`, ...hunks.flat()];
}

const diffLine = ({ sign, text }: DiffLine): string => `${sign}${maskSecrets(text)}`;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** Merges changes whose context overlaps into one hunk. */
function hunksOf(pieces: readonly DiffLine[]): (readonly [from: number, to: number])[] {
  const hunks: [number, number][] = [];
  for (const [at, { sign }] of pieces.entries()) {
    if (sign === ' ') continue;
    const [from, to] = [Math.max(0, at - CONTEXT_LINES), Math.min(pieces.length, at + CONTEXT_LINES + 1)];
    const last = hunks.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  }
  return hunks;
}

function header(pieces: readonly DiffLine[], from: number, to: number): string {
  const count = (sign: '-' | '+', [a, b]: readonly [number, number]): number =>
    pieces.slice(a, b).filter((piece) => piece.sign === ' ' || piece.sign === sign).length;
  const part = (sign: '-' | '+'): string => {
    const length = count(sign, [from, to]);
    const first = count(sign, [0, from]) + (length === 0 ? 0 : 1);
    return `${sign}${first}${length === 1 ? '' : `,${length}`}`;
  };
  return `@@ ${part('-')} ${part('+')} @@`;
}
