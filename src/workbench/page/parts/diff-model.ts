/** Which lines two texts share. */

export interface TextDiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** More than this many pairs of lines are not compared one by one: all old lines go, all new ones come. */
const MAX_PAIRS = 4_000_000;

/** The longest common sequence of lines, and what is around it. */
export function lineDiff(before: string, after: string): TextDiffLine[] {
  const left = before.split('\n');
  const right = after.split('\n');
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  const context = (lines: readonly string[]): TextDiffLine[] => lines.map((text) => ({ sign: ' ', text }));
  return [
    ...context(left.slice(0, head)),
    ...changedLines(left.slice(head, left.length - tail), right.slice(head, right.length - tail)),
    ...context(left.slice(left.length - tail)),
  ];
}

function changedLines(left: readonly string[], right: readonly string[]): TextDiffLine[] {
  const gone = (text: string): TextDiffLine => ({ sign: '-', text });
  const come = (text: string): TextDiffLine => ({ sign: '+', text });
  if (left.length * right.length > MAX_PAIRS || left.length === 0 || right.length === 0)
    return [...left.map(gone), ...right.map(come)];
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        left[i] === right[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  const rows: TextDiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      rows.push({ sign: ' ', text: left[i] ?? '' });
      i++;
      j++;
    } else if (
      j >= right.length ||
      (i < left.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    )
      rows.push(gone(left[i++] ?? ''));
    else rows.push(come(right[j++] ?? ''));
  }
  return rows;
}

/** How much two lines share at their beginning and their end. */
export function sharedEnds(one: string, other: string): [head: number, tail: number] {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  return [head, tail];
}
