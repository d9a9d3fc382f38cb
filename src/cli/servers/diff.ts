/** The difference between two versions of a file, as programmers read it. Secrets of the lines around it are not shown. */
import { type DiffLine, lineDiff } from '../../model/line-diff.ts';
import { maskSecrets } from '../../model/secrets.ts';

/** Lines that are shown around a change. */
const AROUND = 3;

/** Empty where nothing differs. */
export function unifiedDiff(name: string, before: string, after: string): readonly string[] {
  if (before === after) return [];
  const pieces = lineDiff(linesOf(before), linesOf(after));
  const hunks = hunksOf(pieces).map(([from, to]) => [header(pieces, from, to), ...pieces.slice(from, to).map(shown)]);
  return [`--- ${before === '' ? '/dev/null' : name}`, `+++ ${name}`, ...hunks.flat()];
}

const shown = ({ sign, text }: DiffLine): string => `${sign}${maskSecrets(text)}`;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** Changes that are near each other are shown together. */
function hunksOf(pieces: readonly DiffLine[]): (readonly [from: number, to: number])[] {
  const hunks: [number, number][] = [];
  for (const [at, { sign }] of pieces.entries()) {
    if (sign === ' ') continue;
    const [from, to] = [Math.max(0, at - AROUND), Math.min(pieces.length, at + AROUND + 1)];
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
