/** The Timeline screen: lanes of spans, a filterable list of all messages, and details of one. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MessageRow, SpanRow, TimelineFilter } from '../../protocol-timeline.ts';
import { togglePause } from '../commands.ts';
import { Select } from '../parts/choices.tsx';
import { Button, EmptyState, Note } from '../parts/elements.tsx';
import { byteSize, clockTimeMs, count, duration } from '../parts/format.ts';
import { SearchInput } from '../parts/inputs.tsx';
import { ConnectFirst } from '../parts/layout.tsx';
import { MessageLine } from '../parts/message-line.tsx';
import { takeUnlessLate } from '../parts/take-unless-late.ts';
import { Lanes } from '../parts/timeline.tsx';
import { usePages } from '../parts/use-pages.ts';
import { VirtualList } from '../parts/virtual-list.tsx';
import { goTo, route } from '../route.ts';
import {
  callOrNotify,
  callVerb,
  droppedMessages,
  epoch,
  isPaused,
  messageTotal,
  newestSpans,
  servers,
} from '../store.ts';
import { MessagePane } from './timeline-message.tsx';

const ROW_HEIGHT = 28;
/** The period that the lanes show. */
const LANE_MS = 30_000;

const methods = [
  ['', 'All methods'],
  ...['tools/*', 'resources/*', 'prompts/*', 'tasks/*', 'elicitation/*', 'sampling/*', 'notifications/*', 'ui/*'],
  ...['initialize', 'server/discover'],
] as const;

const header = (
  <div class="trow thead" role="row">
    {['#', 'Time', 'Server', '', 'Method', 'Summary', 'Took', 'Size'].map((title, at) => (
      <span role="columnheader" key={title} class={at > 5 ? 'end' : at === 4 ? 'method' : undefined}>
        {title}
        {title === '' && <span class="sr">Direction</span>}
      </span>
    ))}
  </div>
);

interface ShownSpans {
  readonly spans: readonly SpanRow[];
  readonly from: number;
  readonly to: number;
}

/** The spans around a moment, or the newest ones. */
function useSpans(center: number | undefined): ShownSpans {
  const [around, setAround] = useState<readonly SpanRow[]>();
  useEffect(() => {
    if (center === undefined) return setAround(undefined);
    const loading = callVerb('timeline.spans', { from: center - LANE_MS / 2, to: center + LANE_MS / 2 });
    return takeUnlessLate(loading, ({ spans }) => setAround(spans));
  }, [center]);
  const spans = around ?? newestSpans.value;
  return useMemo(() => shownSpans(spans, center), [spans, center]);
}

function shownSpans(spans: readonly SpanRow[], center: number | undefined): ShownSpans {
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

async function openSlowest(): Promise<void> {
  const rows = (await callOrNotify('timeline.stats', { by: 'method' }))?.rows ?? [];
  const [slowest] = rows.toSorted((left, right) => right.max - left.max);
  if (slowest !== undefined) goTo('timeline', slowest.slowest);
}

type FilterChange = { [name in keyof TimelineFilter]?: TimelineFilter[name] | undefined };

function FilterBar(props: {
  filter: TimelineFilter;
  change(part: FilterChange): void;
  total: number;
  follows: boolean;
  setFollows(follows: boolean): void;
}) {
  const { filter, change, total, follows, setFollows } = props;
  return (
    <div class="bar">
      <h1>Timeline</h1>
      <Select
        label="Server"
        value={filter.server ?? ''}
        options={[['', 'All servers'], ...servers.value.map(({ label }) => label)]}
        onChoose={(server) => change({ server })}
      />
      <Select label="Method" value={filter.method ?? ''} options={methods} onChoose={(method) => change({ method })} />
      {(['errors', 'http'] as const).map((part) => (
        <Button
          key={part}
          small
          aria-pressed={filter[part] === true}
          onClick={() => change({ [part]: filter[part] !== true })}
          text={part === 'errors' ? 'Errors' : 'HTTP'}
        />
      ))}
      <SearchInput name="Filter messages" value={filter.text ?? ''} onValue={(text) => change({ text })} />
      <div class="facts">
        <span class="dim" aria-live="polite">
          {Object.keys(filter).length > 0
            ? `${total.toLocaleString('en-US')} of ${messageTotal.value.toLocaleString('en-US')}`
            : count(messageTotal.value, 'message')}
        </span>
        <Button
          kind="quiet"
          small
          title="Open the request that took longest"
          onClick={() => void openSlowest()}
          text="Slowest"
        />
        <Button
          kind="quiet"
          small
          symbol={isPaused.value ? 'play' : 'pause'}
          onClick={togglePause}
          text={isPaused.value ? 'Continue' : 'Pause'}
        />
        <Button
          small
          kind="quiet"
          aria-pressed={follows}
          title="Keep the newest message in view"
          onClick={() => setFollows(!follows)}
          text="Follow"
        />
      </div>
    </div>
  );
}

export function TimelineScreen() {
  const id = route.value.of[0] === undefined ? undefined : Number(route.value.of[0]);
  const [filter, setFilter] = useState<TimelineFilter>({});
  const [follows, setFollows] = useState(id === undefined);
  const { isLoaded, total, rowAt, onRange, follow } = usePages<MessageRow>(
    `${epoch.value} ${JSON.stringify(filter)}`,
    (offset, limit) => callVerb('timeline.page', { offset, limit, filter }),
  );
  useEffect(() => void (!isPaused.value && follow()), [messageTotal.value, isPaused.value]);
  const [center, setCenter] = useState<number>();
  useEffect(() => {
    if (id === undefined) return setCenter(undefined);
    setFollows(false);
    return takeUnlessLate(callVerb('timeline.message', { id }), ({ at }) => setCenter(at));
  }, [id]);
  const spans = useSpans(center);
  // Memoized, because the list below rerenders the screen often while it scrolls.
  const lanes = useMemo(
    () => spans.spans.length > 0 && <Lanes {...spans} mostRows={4} label="Spans by server" current={id} />,
    [spans, id],
  );
  const change = (part: FilterChange): void =>
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
      <FilterBar {...{ filter, change, total, follows, setFollows }} />
      {droppedMessages.value > 0 && (
        <Note tone="warn" role="status">
          The timeline is full: {count(droppedMessages.value, 'newer message')}{' '}
          {droppedMessages.value === 1 ? 'is' : 'are'} not in it. Restart the workbench for an empty timeline, or record
          to a file, which has no such limit.
        </Note>
      )}
      <div class="panes" data-open={id === undefined ? undefined : ''}>
        {lanes}
        <div class="pane rows-pane">
          {isLoaded && total === 0 && (
            <EmptyState
              symbol={hasFilter ? 'search' : 'timeline'}
              title={hasFilter ? 'No message matches' : 'No messages yet'}
            >
              <p>
                {hasFilter
                  ? 'Remove a filter, or search for a part of a method, a name or a text.'
                  : 'Connect a server: its handshake appears here first.'}
              </p>
              {!hasFilter && <ConnectFirst />}
            </EmptyState>
          )}
          {total > 0 && (
            <VirtualList
              class="messages"
              label="Messages"
              count={total}
              rowHeight={ROW_HEIGHT}
              header={header}
              follows={follows}
              shows={follows || hasFilter || id === undefined ? undefined : id - 1}
              onRange={onRange}
              onScrolledByUser={(isAtEnd) => follows && !isAtEnd && setFollows(false)}
              row={(index) => {
                const row = rowAt(index);
                return (
                  <MessageLine
                    row={row}
                    index={index}
                    isCurrent={row !== undefined && row.id === id}
                    data-message={row?.id}
                    onOpen={() => void (row !== undefined && goTo('timeline', row.id))}
                    before={[row?.id ?? '…', row && clockTimeMs(row.at), row?.server]}
                    after={[duration(row?.ms), byteSize(row?.bytes)]}
                  />
                );
              }}
            />
          )}
        </div>
        {id !== undefined && <MessagePane id={id} key={id} />}
      </div>
    </section>
  );
}
