/** The timeline below a screen: the newest seconds, or only the last message when folded. */
import { isDockOpen, serverInView, togglePause, toggleRecording } from '../commands.ts';
import { Button, LinkButton, Tag } from '../parts/elements.tsx';
import { clockTime, count } from '../parts/format.ts';
import { Lanes } from '../parts/timeline.tsx';
import { linkTo } from '../route.ts';
import { droppedMessages, isPaused, messageTotal, newestRows, newestSpans, recording, stage } from '../store.ts';

/** The longest and the shortest period that the lanes show. */
const MAX_PERIOD_MS = 20_000;
const MIN_PERIOD_MS = 2_000;

function visiblePeriod(): { from: number; to: number } {
  const spans = newestSpans.value;
  const ends = spans.map((span) => span.to ?? span.from);
  const to = Math.max(0, ...ends, newestRows.value.at(-1)?.at ?? 0);
  const first = Math.min(...spans.filter((span) => (span.to ?? to) > to - MAX_PERIOD_MS).map((span) => span.from), to);
  const length = Math.max(MIN_PERIOD_MS, Math.min(MAX_PERIOD_MS, to - first));
  return { from: to - length - length / 30, to: to + length / 30 };
}

export function Dock() {
  const last = newestRows.value.at(-1);
  const isOpen = isDockOpen.value;
  const flow = stage.value !== 'live' ? 'Not connected' : isPaused.value ? 'Paused' : 'Live';
  return (
    <section class="dock" aria-label="Timeline" data-state={isOpen ? 'open' : 'closed'}>
      <div class="bar">
        <h2>Timeline</h2>
        {last !== undefined && (
          <div class="facts last">
            <span class="num dim">{clockTime(last.at)}</span>
            <span>{last.server}</span>
            <a class="mono" href={linkTo('timeline', last.id)}>{`#${last.id} ${last.method}`}</a>
            <span class="dim">{last.subject}</span>
          </div>
        )}
        <div class="facts push">
          <span>
            <i class="pulse" data-state={flow === 'Live' ? undefined : 'still'} />
            {flow}
          </span>
          <a class="dim" href={linkTo('timeline')}>
            {count(messageTotal.value, 'message')}
          </a>
          {droppedMessages.value > 0 && <Tag tone="warn" symbol="warning" text="full" />}
          <Button
            kind="quiet"
            small
            symbol={isPaused.value ? 'play' : 'pause'}
            name={isPaused.value ? 'Continue the timeline' : 'Pause the timeline'}
            onClick={togglePause}
          />
          <Button
            kind="quiet"
            small
            symbol="record"
            aria-pressed={recording.value?.file !== undefined}
            disabled={serverInView() === undefined}
            title={`Record the messages with ${serverInView() ?? 'a connected server'}`}
            onClick={() => void toggleRecording()}
            text={recording.value?.file === undefined ? 'Record' : 'Stop'}
          />
          <LinkButton kind="quiet" symbol="link" name="Open the timeline" to={['timeline']} />
          <Button
            kind="quiet"
            small
            symbol={isOpen ? 'down' : 'expand'}
            name={isOpen ? 'Collapse the timeline' : 'Expand the timeline'}
            aria-expanded={isOpen}
            onClick={() => {
              isDockOpen.value = !isOpen;
            }}
          />
        </div>
      </div>
      {isOpen &&
        (newestSpans.value.length === 0 ? (
          <p class="quiet-line">Every message between Mooring and a server appears here, as it is sent.</p>
        ) : (
          <Lanes {...visiblePeriod()} spans={newestSpans.value} mostRows={1} label="The newest messages, by server" />
        ))}
    </section>
  );
}
