/** Where the bars, the marks and the labels of a histogram are. A bar has what is below its limit, and not below that of the bar before. */
import type { LatencyRow } from '../../protocol-timeline.ts';

type HistogramBars = LatencyRow['histogram'];

export interface HistogramAxis {
  readonly bars: HistogramBars;
  /** The width of a bar. */
  readonly step: number;
  /** In the middle of its bar. */
  place(ms: number): number;
  /** Limits of bars, at the end of theirs. */
  readonly labels: readonly { readonly ms: number; readonly x: number }[];
}

const MOST_LABELS = 5;

export function histogramAxis(histogram: HistogramBars, width: number): HistogramAxis {
  const bars = trimmed(histogram);
  const step = width / Math.max(1, bars.length);
  const every = Math.max(1, Math.ceil(bars.length / MOST_LABELS));
  const place = (ms: number): number => {
    const at = bars.findIndex(({ below }) => below === undefined || ms < below);
    return (at === -1 ? bars.length : at + 0.5) * step;
  };
  const labels = bars.flatMap(({ below }, at) =>
    below === undefined || at % every !== 0 ? [] : [{ ms: below, x: (at + 1) * step }],
  );
  return { bars, step, place, labels };
}

/** Without the empty ends, so that what there is fills the width. */
function trimmed(bars: HistogramBars): HistogramBars {
  const first = bars.findIndex(({ count }) => count > 0);
  const last = bars.findLastIndex(({ count }) => count > 0);
  return first === -1 ? bars : bars.slice(Math.max(0, first - 1), last + 2);
}
