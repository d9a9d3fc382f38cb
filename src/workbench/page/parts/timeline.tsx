/** Lanes of spans, one for each server. An image for screen readers and without tab stops: the list of messages has the same content. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LISTEN } from '../../../model/names.ts';
import type { SpanRow } from '../../protocol-timeline.ts';
import { goTo } from '../route.ts';
import { isOn } from '../shell/server-state.ts';
import { servers } from '../store.ts';
import { Icon } from './elements.tsx';
import { clockTime, clockTimeMs, duration } from './format.ts';
import { type LaneBar, lanesOf, ticksOf } from './lane-model.ts';

/** Pixels: the width of a character, and of the column with server labels. */
const CHARACTER = 6.7;
const LABEL = 96;
const asksUser = ['elicitation/create', 'sampling/createMessage', 'roots/list'];
const isStream = (span: SpanRow): boolean => span.method === LISTEN;

function kindOf(span: SpanRow): string | undefined {
  if (span.side === '<' && asksUser.includes(span.method)) return 'wait';
  if (span.isError) return 'error';
  return isStream(span) ? 'stream' : undefined;
}

function Bar(props: { bar: LaneBar; room: number; current: number | undefined; isDense: boolean }) {
  const { bar, room, current, isDense } = props;
  const { span } = bar;
  const took = span.to === undefined ? 'open' : duration(span.to - span.from);
  const name = `${span.method} ${span.subject ?? ''}`.trim();
  const label = `${name}${span.cancelled ? ', cancelled' : span.isError ? ', failed' : ''}, ${took}`;
  const fits = Math.min(bar.width, bar.untilNext) * room > name.length * CHARACTER + 12;
  const kind = kindOf(span);
  const isThin = isDense && kind === 'wait';
  const isMute = isThin || (isDense && kind === 'stream');
  return (
    <li style={{ '--s': bar.start.toFixed(3), '--w': bar.width.toFixed(3), '--y': String(bar.row) }}>
      <span
        class="span"
        data-kind={kind}
        data-open={bar.isOpen ? '' : undefined}
        data-thin={isThin ? '' : undefined}
        aria-current={span.id === current ? 'true' : undefined}
        title={label}
        data-span={span.id}
        onClick={() => goTo('timeline', span.id)}
      >
        {fits && !isMute && kind === 'wait' && <Icon name="asks" />}
        {fits && !isMute && name}
      </span>
      {!fits && !isMute && (bar.untilNext - bar.width) * room > name.length * CHARACTER + 16 && (
        <small aria-hidden="true">{name}</small>
      )}
    </li>
  );
}

export interface LanesProps {
  readonly spans: readonly SpanRow[];
  readonly from: number;
  readonly to: number;
  readonly mostRows: number;
  readonly label: string;
  readonly current?: number | undefined;
}

export function Lanes({ spans, from, to, mostRows, label, current }: LanesProps) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.max(200, (entry?.contentRect.width ?? 800) - LABEL)),
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const ticks = ticksOf(from, to, Math.max(2, width / 120));
  const share = (at: number): string => (((at - from) / Math.max(1, to - from)) * 100).toFixed(3);
  const connected = servers.value.filter(isOn).map((server) => server.label);
  const lanes = lanesOf(spans, { from, to, mostRows, servers: connected });
  return (
    <div class="lanes" role="img" aria-label={label} ref={box}>
      <div class="axis" aria-hidden="true">
        {ticks.map((at) => {
          const time = to - from < 4_000 ? clockTimeMs(at) : clockTime(at);
          const room = (1 - Number(share(at)) / 100) * width;
          return (
            <span key={at} style={{ '--s': share(at) }}>
              {room > time.length * CHARACTER + 8 && time}
            </span>
          );
        })}
      </div>
      {lanes.map((lane) => (
        <div class="lane" key={lane.server} style={{ '--rows': String(lane.rows) }}>
          <b title={lane.server}>{lane.server}</b>
          <ol aria-label={lane.server}>
            {lane.bars.map((bar) => (
              <Bar key={bar.span.id} bar={bar} room={width / 100} current={current} isDense={mostRows === 1} />
            ))}
          </ol>
        </div>
      ))}
    </div>
  );
}
