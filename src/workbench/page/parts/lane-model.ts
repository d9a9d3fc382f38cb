/** Computes the positions of spans in the lanes of a timeline. */
import { LISTEN } from '../../../model/names.ts';
import type { SpanRow } from '../../protocol-timeline.ts';

export interface LaneBar {
  readonly span: SpanRow;
  /** `start`, `width` and `untilNext` are percentages of the lane's width. */
  readonly start: number;
  readonly width: number;
  readonly row: number;
  readonly isOpen: boolean;
  /** From the bar's start to the next bar of its row: the room for its label. */
  readonly untilNext: number;
}

export interface Lane {
  readonly server: string;
  readonly rows: number;
  readonly bars: readonly LaneBar[];
}

/**
 * One lane for each of `servers`, even without spans, so that lanes keep their order; then others, by their first span. Overlapping
 * spans are placed in separate rows, up to `mostRows`.
 */
export function lanesOf(
  spans: readonly SpanRow[],
  { from, to, mostRows, servers = [] }: { from: number; to: number; mostRows: number; servers?: readonly string[] },
): Lane[] {
  const lanes = new Map<string, { bars: LaneBar[]; ends: number[] }>(
    servers.map((server) => [server, { bars: [], ends: [] }]),
  );
  const length = Math.max(1, to - from);
  for (const span of spans.toSorted((left, right) => left.from - right.from || left.id - right.id)) {
    const end = span.to ?? to;
    if (end < from || span.from > to) continue;
    const lane = lanes.get(span.server) ?? { bars: [], ends: [] };
    lanes.set(span.server, lane);
    const free = lane.ends.findIndex((busyUntil) => busyUntil <= span.from);
    const own = free === -1 ? Math.min(lane.ends.length, mostRows - 1) : free;
    // Concurrent streams share a row: they stay open and would fill the lane.
    const row = span.method === LISTEN ? (lane.bars.find((bar) => bar.span.method === LISTEN)?.row ?? own) : own;
    lane.ends[row] = Math.max(end, lane.ends[row] ?? 0);
    const start = Math.max(0, ((span.from - from) / length) * 100);
    const width = Math.max(0, Math.min(100, ((end - from) / length) * 100) - start);
    lane.bars.push({ span, start, width, row, isOpen: span.to === undefined, untilNext: 0 });
  }
  return [...lanes].map(([server, { bars, ends }]) => ({
    server,
    bars: withLabelRoom(bars),
    rows: Math.max(1, ends.length),
  }));
}

function withLabelRoom(bars: readonly LaneBar[]): LaneBar[] {
  return bars.map((bar, at) => {
    const next = bars.find((other, index) => index > at && other.row === bar.row);
    return { ...bar, untilNext: Math.max(0, (next?.start ?? 100) - bar.start) };
  });
}

/** About `wanted` ticks, at multiples of 1, 2 or 5 times a power of ten. */
export function ticksOf(from: number, to: number, wanted: number): number[] {
  const rough = Math.max(1, (to - from) / wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
