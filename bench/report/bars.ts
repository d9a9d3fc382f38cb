/** Draws a bar chart: one block per row, one bar per contender, multiples of the limit on a logarithmic scale. */
import type { RowResult, ScenarioResult } from '../scenario.ts';
import { times } from './numbers.ts';
import { colorOf, FAINT, label, MUTED, picture, round } from './svg.ts';

const WIDTH = 860;
const LEFT = 190;
const RIGHT = 80;
const BAR = 15;
const GAP = 4;
const HEAD = 30;
const FOOT = 18;
const TOP = 46;

interface Bar {
  readonly name: string;
  readonly value: number;
}
interface Block {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export function bars(title: string, scenarios: readonly ScenarioResult[]): string {
  const blocks = scenarios.flatMap((one) => one.rows.map((row) => block(one, row)));
  const values = blocks.flatMap((one) => one.bars.map(({ value }) => value));
  const scale = scaleFor(Math.min(1, ...values), Math.max(2, ...values));
  const parts: string[] = [label(title, { x: 16, y: 28, size: 16, bold: true })];
  let y = TOP;
  for (const one of blocks) {
    parts.push(...drawn(one, y, scale));
    y += HEAD + one.bars.length * (BAR + GAP) + FOOT;
  }
  return picture(WIDTH, y, parts);
}

function block({ title, limit }: ScenarioResult, row: RowResult): Block {
  const found = row.contenders.flatMap(({ name, ratio }) =>
    ratio === undefined ? [] : [{ name, value: ratio.median }],
  );
  return { title: `${title}: ${row.title} (× ${limit})`, bars: found };
}

interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** From just below the smallest value to the largest. */
function scaleFor(least: number, most: number): Scale {
  const from = Math.log(least * 0.8);
  const span = Math.log(most) - from;
  const all = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500];
  return {
    ticks: all.filter((tick) => tick > least * 0.8 && tick <= most),
    at: (value) => LEFT + ((Math.log(value) - from) / span) * (WIDTH - LEFT - RIGHT),
  };
}

function drawn({ title, bars: all }: Block, top: number, scale: Scale): string[] {
  const first = top + HEAD;
  const bottom = first + all.length * (BAR + GAP);
  const grid = scale.ticks.flatMap((tick) => {
    const x = round(scale.at(tick));
    const line = `<line x1="${x}" y1="${first - 4}" x2="${x}" y2="${bottom}" stroke="${FAINT}"/>`;
    return [line, label(`${tick} ×`, { x: scale.at(tick), y: bottom + 11, size: 10, anchor: 'middle', color: MUTED })];
  });
  const rows = all.flatMap(({ name, value }, at) => {
    const y = first + at * (BAR + GAP);
    const end = scale.at(value);
    const bold = name.startsWith('Mooring');
    return [
      label(name, { x: LEFT - 8, y: y + 12, anchor: 'end', bold }),
      `<rect x="${LEFT}" y="${y}" width="${round(Math.max(1, end - LEFT))}" height="${BAR}" fill="${colorOf(name)}"/>`,
      label(times(value), { x: Math.max(end, LEFT) + 5, y: y + 12, size: 11, bold }),
    ];
  });
  return [label(title, { x: 16, y: top + 16, size: 13, bold: true }), ...grid, ...rows];
}
