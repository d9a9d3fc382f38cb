/** The Recordings screen: moves through an open recording, and shows what the client knew at each moment. Sends nothing to servers. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { systemClock } from '../../../peer/clock.ts';
import type { VerbResult } from '../../protocol.ts';
import type { MomentState, RecordedRow, RecordingInfo } from '../../protocol-timeline.ts';
import { Button, EmptyState, Icon } from '../parts/elements.tsx';
import { elapsed } from '../parts/format.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { Card } from '../parts/layout.tsx';
import { MessageLine } from '../parts/message-line.tsx';
import { usePages } from '../parts/use-pages.ts';
import { VirtualList } from '../parts/virtual-list.tsx';
import { goTo } from '../route.ts';
import { callOrNotify, callVerb, travelling } from '../store.ts';
import { OpenRecording } from './travel-open.tsx';

const ROW_HEIGHT = 28;
/** Time per message while playing. */
const PLAY_MS = 400;

function RecordedLines({ total, line, onGo }: { total: number; line: number; onGo(line: number): void }) {
  const { rowAt, onRange } = usePages<RecordedRow>('', (offset, limit) => callVerb('travel.lines', { offset, limit }));
  return (
    <VirtualList
      class="recorded-lines"
      label="Messages of the recording"
      count={total}
      rowHeight={ROW_HEIGHT}
      shows={Math.max(0, line - 1)}
      onRange={onRange}
      row={(index) => {
        const row = rowAt(index);
        return (
          <MessageLine
            row={row}
            index={index}
            isCurrent={index + 1 === line}
            data-line={index + 1}
            data-state={index + 1 > line ? 'later' : 'past'}
            onOpen={() => onGo(index + 1)}
            before={[index + 1, row && elapsed(row.ms)]}
          />
        );
      }}
    />
  );
}

/** A list of names; marks those that were added or removed since `before`. */
function NameDiff({ title, names, before }: { title: string; names: readonly string[]; before: readonly string[] }) {
  if (names.length === 0 && before.length === 0) return null;
  const gone = before.filter((name) => !names.includes(name));
  return (
    <section>
      <h2>{title}</h2>
      <div class="diff names">
        {names.map((name) => (before.includes(name) ? <span key={name}>{name}</span> : <ins key={name}>{name}</ins>))}
        {gone.map((name) => (
          <del key={name}>{name}</del>
        ))}
      </div>
    </section>
  );
}

function MomentSummary({ state, first }: { state: MomentState; first: MomentState }) {
  const added = state.tools.filter((name) => !first.tools.includes(name));
  const cells: readonly (readonly [string, number | string, string])[] = [
    ['Tools', state.tools.length, first.tools.length > 0 && added.length > 0 ? `+${added.length} ${added[0]}` : ''],
    ['Open questions', state.questions.length, state.questions[0]?.message ?? ''],
    ['Tasks', state.tasks.length, state.tasks[0]?.status ?? ''],
    ['Revision', state.revision ?? '–', ''],
  ];
  return (
    <dl class="moment">
      {cells.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} <span>{more}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Travel({ info }: { info: RecordingInfo }) {
  /** The position of the slider, which moves at once; `at` follows when its state is loaded. */
  const [line, setLine] = useState(0);
  const [at, setAt] = useState<VerbResult<'travel.at'>>();
  const shown = at?.line ?? 0;
  const [first, setFirst] = useState<MomentState>();
  const [message, setMessage] = useState<unknown>();
  const [isPlaying, setPlaying] = useState(false);
  /** Counts requests, to drop outdated responses. */
  const turns = useRef(0);
  const slider = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => slider.current?.focus(), []);
  const go = useCallback((to: number) => {
    const turn = ++turns.current;
    setLine(to);
    void callOrNotify('travel.at', { line: to }).then((moment) => {
      if (moment === undefined || turn !== turns.current) return;
      setAt(moment);
      if (moment.line > 0)
        void callOrNotify('travel.line', { line: moment.line }).then(
          (detail) => turn === turns.current && setMessage(detail?.message),
        );
    });
  }, []);
  useEffect(() => {
    // Unless the user moved the slider before this effect ran.
    if (turns.current === 0) go(0);
  }, [go]);
  // The first moment with tools, so that later additions can be marked.
  useEffect(() => {
    void (async () => {
      for (const share of [0.1, 0.25, 0.5, 1]) {
        const moment = await callVerb('travel.at', { line: Math.ceil(info.lines * share) }).catch(() => undefined);
        if (moment !== undefined && moment.state.tools.length > 0) return setFirst(moment.state);
      }
    })();
  }, [info]);
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (shown >= info.lines) {
      setPlaying(false);
      return undefined;
    }
    return systemClock.after(PLAY_MS, () => go(shown + 1));
  }, [isPlaying, shown, info.lines, go]);
  const close = async (): Promise<void> => {
    await callOrNotify('travel.close', {});
    travelling.value = undefined;
  };
  const serve = async (): Promise<void> => {
    const server = await callOrNotify('travel.serve', {});
    if (server === undefined) return;
    await close();
    goTo('servers', server.label);
  };
  const state = at?.state;
  return (
    <section class="screen" data-screen="travel" data-state="recorded">
      <h1 class="sr">Recording {info.name}</h1>
      <div class="recorded">
        <Icon name="travel" />
        <strong>Recording</strong>
        <code>{info.name}</code>
        <span>Shows the state after the chosen message. Nothing is sent.</span>
        <div class="actions push">
          <Button small symbol="play" onClick={() => void serve()} text="Replay as server" />
          <Button small onClick={() => void close()} text="Close the recording" />
        </div>
      </div>
      <div class="scrub">
        <div class="actions">
          <Button symbol="previous" name="Previous message" disabled={line <= 0} onClick={() => go(line - 1)} />
          <Button
            kind="primary"
            symbol={isPlaying ? 'pause' : 'play'}
            name={isPlaying ? 'Pause' : 'Play'}
            onClick={() => setPlaying(!isPlaying)}
          />
          <Button symbol="next" name="Next message" disabled={line >= info.lines} onClick={() => go(line + 1)} />
        </div>
        <input
          ref={slider}
          type="range"
          min={0}
          max={info.lines}
          value={line}
          aria-label="Message"
          aria-valuetext={`message ${line} of ${info.lines}, ${elapsed(at?.ms ?? 0)}`}
          style={{ '--v': `${(line / Math.max(1, info.lines)) * 100}%` }}
          onInput={(event) => go(Number(event.currentTarget.value))}
        />
        <span class="time">
          {elapsed(at?.ms ?? 0)} <span class="dim">of {elapsed(info.ms)}</span>
        </span>
      </div>
      {state !== undefined && <MomentSummary state={state} first={first ?? state} />}
      <div class="panes">
        <div class="pane">
          <div class="body">
            {state !== undefined && (
              <>
                <NameDiff
                  title="Tools at this moment"
                  names={state.tools}
                  before={first === undefined || state.tools.length === 0 ? state.tools : first.tools}
                />
                <NameDiff title="Resources" names={state.resources} before={state.resources} />
                <NameDiff title="Prompts" names={state.prompts} before={state.prompts} />
                {state.questions.map((question) => (
                  <Card
                    key={question.line}
                    title={`${info.server} asked`}
                    symbol="asks"
                    tone="warn"
                    beside={<span class="dim">{`message ${question.line}`}</span>}
                  >
                    <p class="in">{question.message}</p>
                  </Card>
                ))}
                {shown === 0 && (
                  <EmptyState
                    symbol="travel"
                    title="Before the first message"
                    text="Move the slider, or press the arrow keys on it."
                  />
                )}
                {shown > 0 && message !== undefined && (
                  <section>
                    <h2>{`Message ${shown}`}</h2>
                    <JsonTree value={message} label={`Message ${shown}`} />
                  </section>
                )}
              </>
            )}
          </div>
        </div>
        <div class="pane rows-pane">
          <RecordedLines total={info.lines} line={line} onGo={go} />
        </div>
      </div>
    </section>
  );
}

export function TravelScreen() {
  const info = travelling.value;
  return info === undefined ? <OpenRecording /> : <Travel key={info.name + info.at} info={info} />;
}
