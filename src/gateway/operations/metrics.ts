/** What the gateway counts, and the text that Prometheus reads. */
import type { GatewayCounters, GatewayMetrics } from '../contract.ts';

/** A number that is read when it is asked for. */
export interface Gauge {
  readonly name: string;
  readonly about: string;
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const PREFIX = 'mooring_gateway_';
/** Sets of label values under one name; a tool or rule beyond that is counted as `_other`. */
const MAX_SERIES = 1_000;
const OTHER = '_other';
/** Seconds. */
const BOUNDARIES: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

const counters: Readonly<Record<keyof GatewayCounters, string>> = {
  calls_total: 'Requests that were routed to an upstream, by what came of them.',
  waiting_calls_total: 'Upstream calls that waited for the answer to a question, by how the wait ended.',
  questions_total: 'Questions of upstreams, by kind, pair of revisions and answer.',
  conversations_opened_total: 'Conversations with upstreams that were opened, by what they are for.',
  policy_total: 'Decisions of the policy, by verdict and rule.',
  rate_limited_total: 'Requests that were rejected because a rate was used up.',
  forwarded_total: 'Messages that were passed to another node.',
  store_failures_total: 'Uses of the store that failed.',
  upstream_violations_total: 'Messages of upstreams that break the protocol.',
  dropped_total: 'Messages that could not be delivered.',
  reload_total: 'Attempts to reload the configuration, by how they ended.',
};

const histograms = {
  call_seconds: 'How long requests to upstreams took.',
  queue_wait_seconds: 'How long requests waited for their turn.',
} as const;

type HistogramName = keyof typeof histograms;

class Series<T> {
  readonly #byLabels: Map<string, T> = new Map();

  get(labels: Readonly<Record<string, string>>, make: () => T): { readonly key: string; readonly value: T } {
    const key = labelText(labels);
    const known = this.#byLabels.get(key);
    if (known !== undefined) return { key, value: known };
    const isFull = this.#byLabels.size >= MAX_SERIES;
    const bounded = isFull ? labelText(Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER]))) : key;
    const value = this.#byLabels.get(bounded) ?? make();
    this.#byLabels.set(bounded, value);
    return { key: bounded, value };
  }

  set(key: string, value: T): void {
    this.#byLabels.set(key, value);
  }

  entries(): Iterable<[string, T]> {
    return this.#byLabels;
  }
}

interface Histogram {
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** The counters of one gateway. */
export class MetricsRegistry implements GatewayMetrics {
  readonly #counts: Map<keyof GatewayCounters, Series<number>> = new Map();
  readonly #times: Map<HistogramName, Series<Histogram>> = new Map();

  count<N extends keyof GatewayCounters>(name: N, labels: GatewayCounters[N], by = 1): void {
    const series = this.#counts.get(name) ?? new Series<number>();
    this.#counts.set(name, series);
    const { key, value } = series.get(labels, () => 0);
    series.set(key, value + by);
  }

  observe(name: HistogramName, seconds: number, upstream: string): void {
    const series = this.#times.get(name) ?? new Series<Histogram>();
    this.#times.set(name, series);
    const empty = (): Histogram => ({ buckets: BOUNDARIES.map(() => 0), sum: 0, count: 0 });
    const { value } = series.get({ upstream }, empty);
    const at = BOUNDARIES.findIndex((boundary) => seconds <= boundary);
    if (at !== -1) value.buckets[at] = (value.buckets[at] ?? 0) + 1;
    value.sum += seconds;
    value.count++;
  }

  /** Everything, with gauges that were read now. */
  text(gauges: readonly Gauge[] = []): string {
    const lines: string[] = [];
    for (const [name, series] of this.#counts) {
      lines.push(...head(name, counters[name], 'counter'));
      for (const [labels, value] of series.entries()) lines.push(`${PREFIX}${name}${labels} ${value}`);
    }
    for (const [name, series] of this.#times) {
      lines.push(...head(name, histograms[name], 'histogram'));
      for (const [labels, value] of series.entries()) lines.push(...histogramLines(name, labels, value));
    }
    for (const { name, about, values } of gauges) {
      lines.push(...head(name, about, 'gauge'));
      for (const { labels, value } of values.slice(0, MAX_SERIES))
        lines.push(`${PREFIX}${name}${labelText(labels)} ${value}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

const head = (name: string, about: string, type: string): readonly string[] => [
  `# HELP ${PREFIX}${name} ${about}`,
  `# TYPE ${PREFIX}${name} ${type}`,
];

function histogramLines(name: string, labels: string, { buckets, sum, count }: Histogram): readonly string[] {
  let below = 0;
  const rows = BOUNDARIES.map((boundary, at) => {
    below += buckets[at] ?? 0;
    return `${PREFIX}${name}_bucket${withLabel(labels, boundary)} ${below}`;
  });
  return [
    ...rows,
    `${PREFIX}${name}_bucket${withLabel(labels, '+Inf')} ${count}`,
    `${PREFIX}${name}_sum${labels} ${sum}`,
    `${PREFIX}${name}_count${labels} ${count}`,
  ];
}

const withLabel = (labels: string, le: number | string): string => `${labels.slice(0, -1)},le="${le}"}`;

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** As the format says; a long value is cut, since an upstream can choose some of them. */
const escapeLabel = (value: string): string =>
  value.slice(0, 200).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
