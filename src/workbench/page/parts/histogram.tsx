/** How often something took how long. A histogram is rectangles. */
import type { LatencyRow } from '../../protocol-timeline.ts';
import { duration } from './format.ts';

const WIDTH = 320;
const HEIGHT = 96;
const TOP = 28;

export function Histogram({ row }: { row: LatencyRow }) {
  const bars = trimmed(row.histogram);
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const width = WIDTH / Math.max(1, bars.length);
  const place = (ms: number): number => {
    const at = bars.findIndex(({ below }) => below === undefined || ms < below);
    return (at === -1 ? bars.length : at + 0.5) * width;
  };
  const label = `${row.key}: ${row.count} calls, half of them within ${duration(row.p50)}, 99 of 100 within ${duration(row.p99)}, the slowest ${duration(row.max)}`;
  return (
    <svg class="histogram" viewBox={`0 0 ${WIDTH} ${HEIGHT + TOP + 16}`} role="img" aria-label={label}>
      <title>{label}</title>
      {bars.map((bar, at) => {
        const height = (bar.count / most) * HEIGHT;
        return (
          <rect
            key={String(bar.below)}
            x={at * width + 1}
            y={TOP + HEIGHT - height}
            width={Math.max(1, width - 2)}
            height={height}
            rx={1.5}
          />
        );
      })}
      <line x1={0} x2={WIDTH} y1={TOP + HEIGHT} y2={TOP + HEIGHT} />
      {[
        ['p50', row.p50, 10],
        ['p99', row.p99, 22],
      ].map(([name, ms, y]) => {
        const x = place(Number(ms));
        const isLeft = x > WIDTH / 2;
        return (
          <g key={name}>
            <line class="mark" x1={x} x2={x} y1={Number(y) - 8} y2={TOP + HEIGHT} />
            <text class="lab" x={isLeft ? x - 4 : x + 4} y={y} text-anchor={isLeft ? 'end' : 'start'}>
              {`${name} ${duration(Number(ms))}`}
            </text>
          </g>
        );
      })}
      {bars.map((bar, at) =>
        bar.below !== undefined && at % Math.max(1, Math.ceil(bars.length / 5)) === 0 ? (
          <text key={bar.below} x={at * width} y={TOP + HEIGHT + 13}>
            {duration(bar.below)}
          </text>
        ) : null,
      )}
    </svg>
  );
}

/** Without the empty ends, so that what there is fills the width. */
function trimmed(bars: LatencyRow['histogram']): LatencyRow['histogram'] {
  const first = bars.findIndex(({ count }) => count > 0);
  const last = bars.findLastIndex(({ count }) => count > 0);
  return first === -1 ? bars : bars.slice(Math.max(0, first - 1), last + 2);
}
