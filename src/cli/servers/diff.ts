/** The difference between two versions of a file, as programmers read it. Secrets of the lines around it are not shown. */
import { maskSecrets } from '../../model/secrets.ts';

/** Lines that are shown around a change. */
const AROUND = 3;

interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** Empty where nothing differs. */
export function unifiedDiff(name: string, before: string, after: string): readonly string[] {
  if (before === after) return [];
  const pieces = compared(linesOf(before), linesOf(after));
  const hunks = hunksOf(pieces).map(([from, to]) => [header(pieces, from, to), ...pieces.slice(from, to).map(shown)]);
  return [`--- ${before === '' ? '/dev/null' : name}`, `+++ ${name}`, ...hunks.flat()];
}

const shown = ({ sign, line }: DiffLine): string => `${sign}${maskSecrets(line)}`;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** What both begin and end with is left out of the search, which is slow for long texts. */
function compared(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((line) => ({ sign: ' ', line }));
  return [
    ...same(before.slice(0, head)),
    ...between(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

/** By the longest run of lines that both have in common. */
function between(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pieces: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      pieces.push({ sign: ' ', line: old });
      i++;
      j++;
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      pieces.push({ sign: '-', line: old });
      i++;
    } else {
      pieces.push({ sign: '+', line: fresh ?? '' });
      j++;
    }
  }
  return pieces;
}

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
