/** How long calls take, by method, tool or server. */
import { useState } from 'preact/hooks';
import { Select } from '../parts/choices.tsx';
import { EmptyState, Pairs } from '../parts/elements.tsx';
import { count, duration } from '../parts/format.ts';
import { Histogram } from '../parts/histogram.tsx';
import { useAsked } from '../parts/use-asked.ts';
import { linkTo } from '../route.ts';
import { messageTotal } from '../store.ts';

export function Latency() {
  const [by, setBy] = useState<'method' | 'tool' | 'server'>('method');
  const [key, setKey] = useState('');
  const { rows = [] } = useAsked('timeline.stats', { by }, messageTotal.value).said ?? {};
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
          <Select label="Which" value={row.key} options={sorted.map((one) => one.key)} onChoose={setKey} />
        )}
      </div>
      {row === undefined ? (
        <EmptyState symbol="catalogue" title="Nothing measured yet" />
      ) : (
        <div class="body">
          <Histogram row={row} />
          <Pairs
            rows={[
              ['Calls', `${row.count}${row.errors > 0 ? `, ${count(row.errors, 'error')}` : ''}`],
              ['p50, p90, p99', <span class="num">{[row.p50, row.p90, row.p99].map(duration).join(', ')}</span>],
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
