/** Verbs about messages: pages of the timeline, one message, spans, latency statistics. */
import { badDefinition } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { boolean, number, oneOf, optional, shape, string } from '../../model/shape.ts';
import { messageSummary } from '../../recording/message-summary.ts';
import { maskPlaces, valueAt } from '../mask-places.ts';
import type { ScreenName } from '../protocol-rows.ts';
import type { LatencyRow, MessageDetail, MessageRow, SpanRow, TimelineFilter } from '../protocol-timeline.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';

const PAGE = 100;
const MAX_PAGE = 500;
const MAX_SPANS = 2_000;
/** Upper bounds of the bars of a histogram, in milliseconds. */
const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000] as const;

export function timelineVerbs(bench: Workbench): VerbTable {
  const { history } = bench;
  return {
    'timeline.page': verb(
      {
        ...{ offset: optional(number), limit: optional(number) },
        filter: optional(
          shape<TimelineFilter>({
            ...{ server: optional(string), method: optional(string), subject: optional(string) },
            ...{ text: optional(string), errors: optional(boolean), http: optional(boolean) },
          }),
        ),
      },
      ({ offset, limit = PAGE, filter = {} }) => history.page(filter, offset, Math.max(0, Math.min(limit, MAX_PAGE))),
    ),
    'timeline.message': verb({ id: number }, ({ id }) => messageDetail(bench, rowOf(bench, id))),
    'timeline.spans': verb(
      { from: optional(number), to: optional(number) },
      ({ from = 0, to = Number.POSITIVE_INFINITY }) => {
        const found: SpanRow[] = [];
        for (const span of history.spans()) {
          if (found.length >= MAX_SPANS) break;
          if (span.from <= to && (span.to ?? to) >= from) found.push(span);
        }
        return { spans: found.reverse() };
      },
    ),
    'timeline.reveal': verb({ id: number, place: string }, async ({ id, place }) => {
      const { server, method } = rowOf(bench, id);
      const isMasked = maskPlaces(JSON.parse(history.text(id))).includes(place);
      const value = isMasked ? valueAt(history.original(id), place) : undefined;
      if (value === undefined)
        throw badDefinition('The value', 'not masked, or no longer in memory, which keeps the newest messages only');
      const what = `${place} of message ${id} (${server}, ${method})`;
      await bench.questions.askInTerminal({ kind: 'reveal', server, what }, () => bench.options.confirmReveal(what));
      bench.options.note(`Showed a masked value in the page: ${what}`);
      return { value: typeof value === 'string' ? value : JSON.stringify(value) };
    }),
    'timeline.stats': verb({ by: oneOf('method', 'tool', 'server') }, ({ by }) => ({
      rows: latencyRows(history.spans(), by),
    })),
  };
}

function rowOf(bench: Workbench, id: number): MessageRow {
  const row = bench.history.row(id);
  if (row === undefined) throw badDefinition(`Message #${id}`, 'unknown in this session');
  return row;
}

export function messageDetail({ history }: Workbench, row: MessageRow): MessageDetail {
  const message = JSON.parse(history.text(row.id)) as JsonObject; // the history stores messages
  const masked = history.original(row.id) === undefined ? [] : maskPlaces(message);
  const act = row.span === undefined ? undefined : history.span(row.span)?.act;
  const screen = row.side === 'http' ? undefined : screenOf(row.method);
  return { ...row, what: messageSummary(message), message, masked, screen, act };
}

/** Latency of answered requests to servers, by group; the highest p90 first. */
function latencyRows(spans: Iterable<SpanRow>, by: 'method' | 'tool' | 'server'): readonly LatencyRow[] {
  const groups = new Map<string, SpanRow[]>();
  for (const span of spans) {
    if (span.to === undefined || span.cancelled || span.side !== '>' || (by === 'tool' && span.method !== 'tools/call'))
      continue;
    const key = by === 'tool' ? `${span.server}.${span.subject ?? ''}` : span[by];
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [span]);
    else group.push(span);
  }
  return [...groups].map(([key, group]) => latencyRow(key, group)).sort((a, b) => b.p90 - a.p90);
}

function latencyRow(key: string, group: readonly SpanRow[]): LatencyRow {
  const sorted = group
    .map((span) => ({ id: span.id, ms: (span.to ?? span.from) - span.from }))
    .sort((a, b) => a.ms - b.ms);
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)]?.ms ?? 0;
  const slowest = sorted.at(-1);
  const histogram = [...BOUNDS, undefined].map((below, place) => {
    const from = place === 0 ? 0 : (BOUNDS[place - 1] ?? 0);
    return { below, count: sorted.filter(({ ms }) => ms >= from && ms < (below ?? Number.POSITIVE_INFINITY)).length };
  });
  return {
    ...{ key, count: group.length, errors: group.filter(({ isError }) => isError).length, histogram },
    ...{ p50: at(0.5), p90: at(0.9), p99: at(0.99), max: slowest?.ms ?? 0, slowest: slowest?.id ?? 0 },
  };
}

const screens: readonly (readonly [start: string, screen: ScreenName])[] = [
  ['tools/', 'tools'],
  ['resources/', 'resources'],
  ['prompts/', 'prompts'],
  ['completion/', 'prompts'],
  ['tasks/', 'tasks'],
  ['ui/', 'apps'],
  ['skills/', 'skills'],
  ['', 'servers'],
];

/** The screen that displays the request's subject. */
const screenOf = (method: string): ScreenName | undefined => screens.find(([start]) => method.startsWith(start))?.[1];
