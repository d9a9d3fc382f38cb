/** A recording: go to any moment, see what was known then. Nothing is sent. */
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
import { ask, send, travelling } from '../store.ts';
import { OpenRecording } from './travel-open.tsx';

const ROW = 28;
const PLAY_MS = 400;

function Lines({ total, line, onGo }: { total: number; line: number; onGo(line: number): void }) {
  const { rowAt, onRange } = usePages<RecordedRow>('', (offset, limit) => ask('travel.lines', { offset, limit }));
  return (
    <VirtualList
      class="recorded-lines"
      label="Messages of the recording"
      count={total}
      rowHeight={ROW}
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

function Names({ title, names, before }: { title: string; names: readonly string[]; before: readonly string[] }) {
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

function Moment({ state, first }: { state: MomentState; first: MomentState }) {
  const added = state.tools.filter((name) => !first.tools.includes(name));
  const cells: readonly (readonly [string, number | string, string])[] = [
    ['Tools', state.tools.length, first.tools.length > 0 && added.length > 0 ? `+${added.length} ${added[0]}` : ''],
    ['Questions open', state.questions.length, state.questions[0]?.message ?? ''],
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
  /** Where the slider is, at once; what was known there is shown when it has come. */
  const [line, setLine] = useState(0);
  const [at, setAt] = useState<VerbResult<'travel.at'>>();
  const shown = at?.line ?? 0;
  const [first, setFirst] = useState<MomentState>();
  const [message, setMessage] = useState<unknown>();
  const [isPlaying, setPlaying] = useState(false);
  const asked = useRef(0);
  const slider = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => slider.current?.focus(), []);
  const go = useCallback((to: number) => {
    const turn = ++asked.current;
    setLine(to);
    void send('travel.at', { line: to }).then((said) => {
      if (said === undefined || turn !== asked.current) return;
      setAt(said);
      if (said.line > 0)
        void send('travel.line', { line: said.line }).then(
          (detail) => turn === asked.current && setMessage(detail?.message),
        );
    });
  }, []);
  useEffect(() => {
    // The slider can be moved before this runs, and then it stays where the user put it.
    if (asked.current === 0) go(0);
  }, [go]);
  // What the recording knew first, so that what came later stands out.
  useEffect(() => {
    void (async () => {
      for (const share of [0.1, 0.25, 0.5, 1]) {
        const said = await ask('travel.at', { line: Math.ceil(info.lines * share) }).catch(() => undefined);
        if (said !== undefined && said.state.tools.length > 0) return setFirst(said.state);
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
    await send('travel.close', {});
    travelling.value = undefined;
  };
  const serve = async (): Promise<void> => {
    const server = await send('travel.serve', {});
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
        <strong>Recorded</strong>
        <code>{info.name}</code>
        <span>Nothing is sent. You see everything as it was.</span>
        <div class="actions push">
          <Button small symbol="play" onClick={() => void serve()} text="Replay as server" />
          <Button small onClick={() => void close()} text="Back to live" />
        </div>
      </div>
      <div class="scrub">
        <div class="actions">
          <Button symbol="previous" name="Message before" disabled={line <= 0} onClick={() => go(line - 1)} />
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
      {state !== undefined && <Moment state={state} first={first ?? state} />}
      <div class="panes">
        <div class="pane">
          <div class="body">
            {state !== undefined && (
              <>
                <Names
                  title="Tools at this moment"
                  names={state.tools}
                  before={first === undefined || state.tools.length === 0 ? state.tools : first.tools}
                />
                <Names title="Resources" names={state.resources} before={state.resources} />
                <Names title="Prompts" names={state.prompts} before={state.prompts} />
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
          <Lines total={info.lines} line={line} onGo={go} />
        </div>
      </div>
    </section>
  );
}

export function TravelScreen() {
  const info = travelling.value;
  return info === undefined ? <OpenRecording /> : <Travel key={info.name + info.at} info={info} />;
}
