/** Every message, in order: lanes of spans, a list that filters, and one message whole. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { MessageDetail, MessageRow, SpanRow, TimelineFilter } from '../../protocol-timeline.ts';
import { togglePause } from '../commands.ts';
import { Button, CopyButton, EmptyState, Icon, Menu, Select, Tag } from '../parts/elements.tsx';
import { byteSize, clockTimeMs, count, duration } from '../parts/format.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { Lanes } from '../parts/timeline.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { goTo, linkTo, route } from '../route.ts';
import { ask, epoch, isPaused, messageTotal, newestSpans, send, servers } from '../store.ts';
import { exportMenu } from './export-menu.ts';

const PAGE = 200;
const ROW = 28;
/** Pages that are kept; the rest is asked for again. */
const MAX_PAGES = 30;
/** How much time the lanes show around what is looked at. */
const LANE_MS = 30_000;

const methods: readonly (readonly [string, string])[] = [
  ['', 'All methods'],
  ...[
    'tools/*',
    'resources/*',
    'prompts/*',
    'tasks/*',
    'elicitation/*',
    'sampling/*',
    'notifications/*',
    'initialize',
    'server/discover',
    'ui/*',
  ].map((name) => [name, name] as const),
];

/** Rows by page, asked for as they come into view. */
function useRows(filter: TimelineFilter): {
  total: number;
  rowAt(index: number): MessageRow | undefined;
  onRange(first: number, last: number): void;
} {
  const pages = useRef(new Map<number, readonly MessageRow[]>());
  const asked = useRef(new Set<number>());
  const [total, setTotal] = useState(0);
  const [, redraw] = useState(0);
  const key = JSON.stringify(filter);
  const load = useCallback(
    async (page: number): Promise<void> => {
      if (asked.current.has(page)) return;
      asked.current.add(page);
      const got = await ask('timeline.page', {
        offset: page * PAGE,
        limit: PAGE,
        filter: JSON.parse(key) as TimelineFilter,
      }).catch(() => undefined);
      asked.current.delete(page);
      if (got === undefined) return;
      pages.current.set(page, got.rows);
      for (const old of pages.current.keys())
        if (pages.current.size > MAX_PAGES && old !== page) pages.current.delete(old);
      setTotal(got.total);
      redraw((times) => times + 1);
    },
    [key],
  );
  useEffect(() => {
    pages.current = new Map();
    asked.current = new Set();
    setTotal(0);
    void load(0);
  }, [load, epoch.value]);
  // New messages: the last page is no longer whole.
  useEffect(() => {
    if (isPaused.value) return;
    const last = Math.floor(total / PAGE);
    void load(last);
  }, [messageTotal.value, isPaused.value]);
  const range = useRef<[number, number]>([0, 0]);
  const onRange = useCallback(
    (first: number, end: number) => {
      range.current = [first, end];
      for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(0, end - 1) / PAGE); page++)
        if (!pages.current.has(page)) void load(page);
    },
    [load],
  );
  return { total, rowAt: (index) => pages.current.get(Math.floor(index / PAGE))?.[index % PAGE], onRange };
}

function Row({ row, index, isCurrent }: { row: MessageRow | undefined; index: number; isCurrent: boolean }) {
  if (row === undefined)
    return (
      <div class="trow" role="row" aria-rowindex={index + 1} key={`empty-${index}`}>
        <span role="cell">…</span>
      </div>
    );
  return (
    <div
      class="trow"
      role="row"
      key={row.id}
      aria-rowindex={index + 1}
      aria-selected={isCurrent}
      data-row=""
      data-message={row.id}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => goTo('timeline', row.id)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') goTo('timeline', row.id);
      }}
    >
      <span role="cell" class="num dim">
        {row.id}
      </span>
      <span role="cell" class="num dim">
        {clockTimeMs(row.at)}
      </span>
      <span role="cell" class="cut">
        {row.server}
      </span>
      <span role="cell">
        <Icon
          name={row.side === '>' ? 'sent' : row.side === '<' ? 'received' : 'link'}
          label={row.side === '>' ? 'sent' : row.side === '<' ? 'received' : 'HTTP'}
        />
      </span>
      <span role="cell" class="mono cut">
        {row.isError && <Icon name="failed" tone="bad" label="error" />} {row.method}
      </span>
      <span role="cell" class="cut">
        {row.kind === 'response' ? `${row.isError ? 'error' : 'result'} ${row.subject ?? ''}` : row.subject}
      </span>
      <span role="cell" class="num end">
        {row.ms === undefined ? '' : duration(row.ms)}
      </span>
      <span role="cell" class="num end dim">
        {byteSize(row.bytes)}
      </span>
    </div>
  );
}

const header = (
  <div class="trow thead" role="row">
    {['#', 'Time', 'Server', '', 'Method', 'What', 'Took', 'Size'].map((title, at) => (
      <span role="columnheader" key={title} class={at > 5 ? 'end' : undefined}>
        {title}
        {title === '' && <span class="sr">Direction</span>}
      </span>
    ))}
  </div>
);

function useSpans(center: number | undefined): { spans: readonly SpanRow[]; from: number; to: number } {
  const [around, setAround] = useState<readonly SpanRow[]>();
  useEffect(() => {
    if (center === undefined) setAround(undefined);
    else
      void ask('timeline.spans', { from: center - LANE_MS / 2, to: center + LANE_MS / 2 }).then(
        ({ spans }) => setAround(spans),
        () => undefined,
      );
  }, [center]);
  const spans = around ?? newestSpans.value;
  const newest = Math.max(0, ...spans.map((span) => span.to ?? span.from));
  const first = Math.min(
    newest,
    ...spans.filter((span) => (span.to ?? newest) > newest - LANE_MS).map((span) => span.from),
  );
  if (center === undefined) return { spans, from: Math.max(first, newest - LANE_MS) - 200, to: newest + 200 };
  const near = spans.filter((span) => span.from <= center && (span.to ?? newest) >= center);
  const from = Math.max(center - LANE_MS / 2, Math.min(center, ...near.map((span) => span.from)) - 1_000);
  return {
    spans,
    from,
    to: Math.min(from + LANE_MS, Math.max(center, ...near.map((span) => span.to ?? newest)) + 1_000),
  };
}

function Message({ id }: { id: number }) {
  const [detail, setDetail] = useState<MessageDetail>();
  const [revealed, setRevealed] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => {
    setDetail(undefined);
    setRevealed({});
    void ask('timeline.message', { id }).then(setDetail, () => undefined);
  }, [id]);
  if (detail === undefined) return <div class="pane message" aria-busy="true" />;
  const reveal = async (place: string): Promise<void> => {
    const said = await send('timeline.reveal', { id, place });
    if (said !== undefined) setRevealed({ ...revealed, [place]: said.value });
  };
  const span = newestSpans.value.find((one) => one.id === detail.span);
  return (
    <section class="pane message" aria-label={`Message ${id}`}>
      <header class="bar">
        <h2 class="mono">{`#${id} ${detail.method}`}</h2>
        <Tag symbol={detail.side === '>' ? 'sent' : 'received'}>
          {detail.side === '>' ? 'sent' : detail.side === '<' ? 'received' : 'HTTP'}
        </Tag>
        <Tag>{detail.server}</Tag>
        {detail.isError && (
          <Tag tone="bad" symbol="failed">
            error
          </Tag>
        )}
        <span class="push" />
        <CopyButton text={() => JSON.stringify(detail.message, null, 2)} name="Copy the message" />
        {detail.span !== undefined && (
          <Menu symbol="export" name="Export this call" items={exportMenu(() => [detail.span as number])} />
        )}
        <Button kind="quiet" small symbol="close" name="Close the message" onClick={() => goTo('timeline')} />
      </header>
      <div class="body">
        <dl class="pairs">
          <dt>Time</dt>
          <dd class="num">{clockTimeMs(detail.at)}</dd>
          {detail.span !== undefined && (
            <>
              <dt>Span</dt>
              <dd>
                <a href={linkTo('timeline', detail.span)}>{`#${detail.span}`}</a>
                {span !== undefined &&
                  ` ${span.method} ${span.subject ?? ''}, ${span.to === undefined ? 'open' : duration(span.to - span.from)}`}
              </dd>
            </>
          )}
          {detail.screen !== undefined && detail.screen !== 'timeline' && (
            <>
              <dt>Belongs to</dt>
              <dd>
                <a
                  href={linkTo(detail.screen, detail.server, ...(detail.subject === undefined ? [] : [detail.subject]))}
                >
                  {detail.screen} {detail.subject}
                </a>
              </dd>
            </>
          )}
          <dt>Size</dt>
          <dd>{byteSize(detail.bytes)}</dd>
          {detail.masked.map((place) => (
            <>
              <dt>Masked</dt>
              <dd>
                <code>{place}</code>{' '}
                {revealed[place] === undefined ? (
                  <button type="button" class="link" onClick={() => void reveal(place)}>
                    Show
                  </button>
                ) : (
                  <code>{revealed[place]}</code>
                )}
              </dd>
            </>
          ))}
        </dl>
        <JsonTree value={detail.message} label={`Message ${id}`} search />
      </div>
    </section>
  );
}

async function openSlowest(): Promise<void> {
  const rows = (await send('timeline.stats', { by: 'method' }))?.rows ?? [];
  const [slowest] = rows.toSorted((left, right) => right.max - left.max);
  if (slowest !== undefined) goTo('timeline', slowest.slowest);
}

export function TimelineScreen() {
  const id = route.value.of[0] === undefined ? undefined : Number(route.value.of[0]);
  const [filter, setFilter] = useState<TimelineFilter>({});
  const [follows, setFollows] = useState(id === undefined);
  const { total, rowAt, onRange } = useRows(filter);
  const [center, setCenter] = useState<number>();
  useEffect(() => {
    if (id === undefined) setCenter(undefined);
    else {
      setFollows(false);
      void ask('timeline.message', { id }).then(
        (message) => setCenter(message.at),
        () => undefined,
      );
    }
  }, [id]);
  const lanes = useSpans(center);
  const change = (part: { [name in keyof TimelineFilter]?: TimelineFilter[name] | undefined }): void =>
    setFilter(
      Object.fromEntries(
        Object.entries({ ...filter, ...part }).filter(
          ([, value]) => value !== undefined && value !== '' && value !== false,
        ),
      ),
    );
  const hasFilter = Object.keys(filter).length > 0;
  return (
    <section class="screen" data-screen="timeline">
      <div class="bar">
        <h1>Timeline</h1>
        <Select
          label="Server"
          value={filter.server ?? ''}
          options={[['', 'All servers'], ...servers.value.map(({ label }) => [label, label] as const)]}
          onChoose={(server) => change({ server })}
        />
        <Select
          label="Method"
          value={filter.method ?? ''}
          options={methods}
          onChoose={(method) => change({ method })}
        />
        <Button small aria-pressed={filter.errors === true} onClick={() => change({ errors: filter.errors !== true })}>
          Errors
        </Button>
        <Button small aria-pressed={filter.http === true} onClick={() => change({ http: filter.http !== true })}>
          HTTP
        </Button>
        <input
          class="input"
          data-size="small"
          type="search"
          placeholder="Filter messages"
          aria-label="Filter messages"
          value={filter.text ?? ''}
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
        <div class="facts">
          <span class="dim" aria-live="polite">
            {hasFilter
              ? `${total.toLocaleString('en-US')} of ${messageTotal.value.toLocaleString('en-US')}`
              : count(messageTotal.value, 'message')}
          </span>
          <Button kind="quiet" small title="Open the request that took longest" onClick={() => void openSlowest()}>
            Slowest
          </Button>
          <Button kind="quiet" small symbol={isPaused.value ? 'play' : 'pause'} onClick={togglePause}>
            {isPaused.value ? 'Continue' : 'Pause'}
          </Button>
          <Button
            small
            kind="quiet"
            aria-pressed={follows}
            title="Keep the newest message in view"
            onClick={() => setFollows(!follows)}
          >
            Follow
          </Button>
        </div>
      </div>
      <div class="panes" data-open={id === undefined ? undefined : ''}>
        {lanes.spans.length > 0 && <Lanes {...lanes} mostRows={4} label="Spans by server" current={id} />}
        <div class="pane rows-pane">
          {total === 0 ? (
            hasFilter ? (
              <EmptyState symbol="search" title="No message matches">
                <p>Leave out a filter, or search for a part of a method, a tool or a text.</p>
              </EmptyState>
            ) : (
              <EmptyState symbol="timeline" title="No messages yet">
                <p>Connect a server. Its handshake is the first thing that you see here.</p>
              </EmptyState>
            )
          ) : (
            <VirtualList
              class="messages"
              label="Messages"
              count={total}
              rowHeight={ROW}
              header={header}
              follows={follows}
              shows={follows || hasFilter || id === undefined ? undefined : id - 1}
              onRange={onRange}
              onScrolledByUser={(isAtEnd) => follows && !isAtEnd && setFollows(false)}
              row={(index) => {
                const row = rowAt(index);
                return <Row row={row} index={index} isCurrent={row !== undefined && row.id === id} />;
              }}
            />
          )}
        </div>
        {id !== undefined && <Message id={id} key={id} />}
      </div>
    </section>
  );
}
