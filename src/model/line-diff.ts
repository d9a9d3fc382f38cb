/** Line diff of two texts. */

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Above this many pairs of lines, they are not compared: the diff removes all old lines and adds all new ones. */
const MAX_PAIRS = 4_000_000;

/** The longest common subsequence of lines, with the removed and added lines around it. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  const [head, tail] = sharedEnds(before, after);
  return [
    ...before.slice(0, head).map(sharedLine),
    ...changedLines(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(sharedLine),
  ];
}

const sharedLine = (text: string): DiffLine => ({ sign: ' ', text });
const removedLine = (text: string): DiffLine => ({ sign: '-', text });
const addedLine = (text: string): DiffLine => ({ sign: '+', text });

function changedLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > MAX_PAIRS) return [...before.map(removedLine), ...after.map(addedLine)];
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const shared = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j] ? shared(i + 1, j + 1) + 1 : Math.max(shared(i + 1, j), shared(i, j + 1));
  const rows: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      rows.push(sharedLine(old));
      i++;
      j++;
    } else if (old !== undefined && (fresh === undefined || shared(i + 1, j) >= shared(i, j + 1))) {
      rows.push(removedLine(old));
      i++;
    } else {
      rows.push(addedLine(fresh ?? ''));
      j++;
    }
  }
  return rows;
}

/** The lengths of the common prefix and suffix of two lists, of lines or of words. */
export function sharedEnds(one: readonly string[], other: readonly string[]): [head: number, tail: number] {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  return [head, tail];
}
