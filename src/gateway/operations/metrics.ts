/** Counters and histograms of the gateway, in the Prometheus text format. */
import type { GatewayCounters, GatewayMetrics } from '../contract.ts';

/** A value that is sampled on each scrape. */
export interface Gauge {
  readonly name: string;
  readonly about: string;
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const PREFIX = 'mooring_gateway_';
/** Label sets per metric; more are counted as `_other`. */
const MAX_SERIES = 1_000;
const OTHER = '_other';
/** Longer label sets are not cached. */
const MAX_KEY_LENGTH = 1_000;
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

type Labels = Readonly<Record<string, string>>;

class Series<T> {
  readonly #byLabels: Map<string, T> = new Map();
  /** A cache by raw values: formatting labels takes longer than counting. */
  readonly #byValues: Map<string, T> = new Map();

  get(labels: Labels, make: () => T): T {
    const values = valueKey(labels);
    const known = this.#byValues.get(values);
    if (known !== undefined) return known;
    const own = labelText(labels);
    const isFull = this.#byLabels.size >= MAX_SERIES && !this.#byLabels.has(own);
    const text = isFull ? labelText(Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER]))) : own;
    const value = this.#byLabels.get(text) ?? make();
    this.#byLabels.set(text, value);
    if (this.#byValues.size < MAX_SERIES && values.length <= MAX_KEY_LENGTH) this.#byValues.set(values, value);
    return value;
  }

  entries(): Iterable<[string, T]> {
    return this.#byLabels;
  }
}

/** Includes the lengths, so that no two label sets share a key. */
function valueKey(labels: Labels): string {
  let key = '';
  for (const name in labels) key += `${name} ${labels[name]?.length} ${labels[name]}`;
  return key;
}

interface Counter {
  count: number;
}
interface Histogram extends Counter {
  readonly buckets: number[];
  sum: number;
}

export class MetricsRegistry implements GatewayMetrics {
  readonly #counts: Map<keyof GatewayCounters, Series<Counter>> = new Map();
  readonly #times: Map<HistogramName, Series<Histogram>> = new Map();

  count<N extends keyof GatewayCounters>(name: N, labels: GatewayCounters[N], by = 1): void {
    const series = this.#counts.get(name) ?? new Series<Counter>();
    this.#counts.set(name, series);
    series.get(labels, () => ({ count: 0 })).count += by;
  }

  observe(name: HistogramName, seconds: number, upstream: string): void {
    const series = this.#times.get(name) ?? new Series<Histogram>();
    this.#times.set(name, series);
    const empty = (): Histogram => ({ buckets: BOUNDARIES.map(() => 0), sum: 0, count: 0 });
    const value = series.get({ upstream }, empty);
    const at = BOUNDARIES.findIndex((boundary) => seconds <= boundary);
    if (at !== -1) value.buckets[at] = (value.buckets[at] ?? 0) + 1;
    value.sum += seconds;
    value.count++;
  }

  /** The whole exposition, with gauges sampled now. */
  text(gauges: readonly Gauge[] = []): string {
    const lines: string[] = [];
    for (const [name, series] of this.#counts) {
      lines.push(...head(name, counters[name], 'counter'));
      for (const [labels, { count }] of series.entries()) lines.push(`${PREFIX}${name}${labels} ${count}`);
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

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Escapes a label value, and truncates it, because upstreams choose some of them. */
const escapeLabel = (value: string): string =>
  value.slice(0, 200).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
