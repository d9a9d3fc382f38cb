/** Draws the cost of one call over a size, both logarithmic. A flat line means constant cost. */
import type { ScenarioResult } from '../scenario.ts';
import { amount } from './numbers.ts';
import { colorOf, FAINT, label, MUTED, picture, round } from './svg.ts';

const WIDTH = 860;
const HEIGHT = 400;
const BOX = { left: 80, right: 590, top: 56, bottom: 350 };

interface Point {
  readonly x: number;
  readonly y: number;
}
interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

function linesOf({ rows }: ScenarioResult): Line[] {
  const names = [...new Set(rows.flatMap(({ contenders }) => contenders.map(({ name }) => name)))];
  return names.flatMap((name) => {
    const points = rows.flatMap(({ x, contenders }) => {
      const y = contenders.find((one) => one.name === name)?.cost?.median;
      return x === undefined || y === undefined ? [] : [{ x, y }];
    });
    return points.length < 2 ? [] : [{ name, points }];
  });
}

/** The exponent with which the cost of a call grows: overall, and at its steepest. */
function powers({ points }: Line): { readonly whole: number; readonly steepest: number } {
  const steps = points.slice(1).map((point, at) => power(points[at], point));
  return { whole: power(points[0], points.at(-1)), steepest: Math.max(...steps) };
}

const power = (from: Point | undefined, to: Point | undefined): number =>
  from === undefined || to === undefined ? Number.NaN : Math.log(to.y / from.y) / Math.log(to.x / from.x);

const shown = (value: number): string => value.toFixed(1).replace('-0.0', '0.0');

export function curve(result: ScenarioResult): string {
  const lines = linesOf(result);
  const points = lines.flatMap((line) => line.points);
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const x = scale([Math.min(...xs), Math.max(...xs)], [BOX.left, BOX.right]);
  const y = scale([Math.min(...ys) * 0.8, Math.max(...ys) * 1.2], [BOX.bottom, BOX.top]);
  const unit = result.rows[0]?.unit ?? 'CPU µs';
  return picture(WIDTH, HEIGHT, [
    label(result.title, { x: 16, y: 28, size: 16, bold: true }),
    ...tens(Math.min(...ys), Math.max(...ys)).flatMap((tick) => [
      `<line x1="${BOX.left}" y1="${round(y(tick))}" x2="${BOX.right}" y2="${round(y(tick))}" stroke="${FAINT}"/>`,
      label(amount(tick, unit), { x: BOX.left - 8, y: y(tick) + 4, size: 11, anchor: 'end', color: MUTED }),
    ]),
    ...result.rows.flatMap((row) =>
      row.x === undefined
        ? []
        : [label(row.title, { x: x(row.x), y: BOX.bottom + 20, size: 11, anchor: 'middle', color: MUTED })],
    ),
    ...lines.map(
      ({ name, points: all }) =>
        `<polyline fill="none" stroke="${colorOf(name)}" stroke-width="${name === 'Mooring' ? 3.5 : 2}" points="${all
          .map((point) => `${round(x(point.x))},${round(y(point.y))}`)
          .join(' ')}"/>`,
    ),
    ...names(lines, y),
  ]);
}

/** Labels at the end of each line, moved apart where lines end close together. */
function names(lines: readonly Line[], y: (value: number) => number): string[] {
  const ends = lines.map((line) => ({ line, at: y(line.points.at(-1)?.y ?? 1) })).toSorted((a, b) => a.at - b.at);
  let free = 0;
  return ends.map(({ line, at }) => {
    free = Math.max(at + 4, free + 15);
    const { whole, steepest } = powers(line);
    const text = `${line.name}: n^${shown(whole)}, at most n^${shown(steepest)}`;
    return label(text, { x: BOX.right + 8, y: free, bold: line.name === 'Mooring', color: colorOf(line.name) });
  });
}

function scale(
  [least, most]: readonly [number, number],
  [from, to]: readonly [number, number],
): (value: number) => number {
  const span = Math.log(most) - Math.log(least);
  return (value) => from + ((Math.log(value) - Math.log(least)) / span) * (to - from);
}

/** The powers of ten in between. */
function tens(least: number, most: number): number[] {
  const from = Math.floor(Math.log10(least));
  const to = Math.ceil(Math.log10(most));
  const all = Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at));
  return all.filter((tick) => tick >= least * 0.8 && tick <= most * 1.2);
}
