/** A latency histogram of requests, by method, tool or server. */
import { useState } from 'preact/hooks';
import type { LatencyRow } from '../../protocol-timeline.ts';
import { Select } from '../parts/choices.tsx';
import { EmptyState, Pairs } from '../parts/elements.tsx';
import { count, duration } from '../parts/format.ts';
import { histogramAxis } from '../parts/histogram-axis.ts';
import { useVerb } from '../parts/use-verb.ts';
import { linkTo } from '../route.ts';
import { messageTotal } from '../store.ts';

const WIDTH = 320;
const HEIGHT = 96;
const TOP = 28;
const groupWords = { method: 'Method', tool: 'Tool', server: 'Server' } as const;

function Histogram({ row }: { row: LatencyRow }) {
  const { bars, step: width, place, labels } = histogramAxis(row.histogram, WIDTH);
  const most = Math.max(1, ...bars.map((bar) => bar.count));
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
      {labels.map(({ ms, x }) => (
        <text key={ms} x={x} y={TOP + HEIGHT + 13} text-anchor={x < WIDTH ? 'middle' : 'end'}>
          {duration(ms)}
        </text>
      ))}
    </svg>
  );
}

export function Latency() {
  const [by, setBy] = useState<'method' | 'tool' | 'server'>('method');
  const [key, setKey] = useState('');
  const { result } = useVerb('timeline.stats', { by }, messageTotal.value);
  const rows = result?.rows ?? [];
  const sorted = rows.toSorted((left, right) => right.count - left.count);
  const row = sorted.find((one) => one.key === key) ?? sorted[0];
  return (
    <section aria-label="Latency">
      <div class="bar">
        <h2>Latency</h2>
        <Select
          label="Group by"
          value={by}
          options={[
            ['method', 'by method'],
            ['tool', 'by tool'],
            ['server', 'by server'],
          ]}
          onChoose={(next) => setBy(next as 'method')}
        />
        {row !== undefined && (
          <Select label={groupWords[by]} value={row.key} options={sorted.map((one) => one.key)} onChoose={setKey} />
        )}
      </div>
      {result !== undefined && row === undefined && (
        <EmptyState
          symbol="catalogue"
          title="No requests yet"
          text="Connect a server: each response is measured here."
        />
      )}
      {row !== undefined && (
        <div class="body">
          <Histogram row={row} />
          <Pairs
            rows={[
              ['Calls', `${row.count}${row.errors > 0 ? `, ${count(row.errors, 'error')}` : ''}`],
              ...(['p50', 'p90', 'p99'] as const).map((name) => [name, duration(row[name])] as const),
              [
                'Slowest',
                <>
                  <a href={linkTo('timeline', row.slowest)}>{`#${row.slowest}`}</a> {duration(row.max)}
                </>,
              ],
            ]}
          />
        </div>
      )}
    </section>
  );
}
