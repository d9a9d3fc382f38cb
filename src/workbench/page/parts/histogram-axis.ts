/** Positions of bars, marks and labels of a histogram. A bar counts values below its limit, down to the limit of the bar before. */
import type { LatencyRow } from '../../protocol-timeline.ts';

type HistogramBars = LatencyRow['histogram'];

export interface HistogramAxis {
  readonly bars: HistogramBars;
  /** The width of a bar. */
  readonly step: number;
  /** The x position of a value: the middle of its bar. */
  place(ms: number): number;
  /** Limits to display, each at the end of its bar. */
  readonly labels: readonly { readonly ms: number; readonly x: number }[];
}

const MAX_LABELS = 5;

export function histogramAxis(histogram: HistogramBars, width: number): HistogramAxis {
  const bars = trimEmptyBars(histogram);
  const step = width / Math.max(1, bars.length);
  const every = Math.max(1, Math.ceil(bars.length / MAX_LABELS));
  const place = (ms: number): number => {
    const at = bars.findIndex(({ below }) => below === undefined || ms < below);
    return (at === -1 ? bars.length : at + 0.5) * step;
  };
  const labels = bars.flatMap(({ below }, at) =>
    below === undefined || at % every !== 0 ? [] : [{ ms: below, x: (at + 1) * step }],
  );
  return { bars, step, place, labels };
}

/** Removes empty bars at both ends, except for one at each. */
function trimEmptyBars(bars: HistogramBars): HistogramBars {
  const first = bars.findIndex(({ count }) => count > 0);
  const last = bars.findLastIndex(({ count }) => count > 0);
  return first === -1 ? bars : bars.slice(Math.max(0, first - 1), last + 2);
}
