/** The details of one message: time, request, related screen, masked values, JSON. */
import { useState } from 'preact/hooks';
import { CloseButton, CopyButton, EmptyState, LinkButton, Pairs, Tag } from '../parts/elements.tsx';
import { byteSize, clockTimeMs, duration } from '../parts/format.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { useVerb } from '../parts/use-verb.ts';
import { goTo, linkTo } from '../route.ts';
import { callOrNotify, newestSpans } from '../store.ts';
import { ExportMenu } from './export-menu.tsx';

/** The request that a message belongs to, and how long it took. */
function Request({ id, of }: { id: number; of: number }) {
  const span = newestSpans.value.find((one) => one.id === of);
  const took = span && (span.to === undefined ? 'no response yet' : `took ${duration(span.to - span.from)}`);
  if (of === id) return <>{took}</>;
  return (
    <>
      <a href={linkTo('timeline', of)}>{`#${of}`}</a>
      {span && ` ${span.method} ${span.subject ?? ''}, ${took}`}
    </>
  );
}

function MaskedPlace({ id, place }: { id: number; place: string }) {
  const [value, setValue] = useState<string>();
  const reveal = async (): Promise<void> => setValue((await callOrNotify('timeline.reveal', { id, place }))?.value);
  return (
    <>
      <code>{place}</code>{' '}
      {value === undefined ? (
        <button type="button" class="link" onClick={() => void reveal()}>
          Show value
        </button>
      ) : (
        <code>{value}</code>
      )}
    </>
  );
}

export function MessagePane({ id }: { id: number }) {
  const { result: detail, failure } = useVerb('timeline.message', { id });
  if (detail === undefined)
    return (
      <div class="pane message" aria-busy={failure === undefined}>
        {failure !== undefined && (
          <EmptyState
            symbol="timeline"
            title={`Unknown message #${id}`}
            text="This session has no message with this number."
          >
            <LinkButton to={['timeline']} text="See all messages" />
          </EmptyState>
        )}
      </div>
    );
  const subject = detail.screen === 'servers' || detail.subject === undefined ? [] : [detail.subject];
  return (
    <section class="pane message" aria-label={`Message ${id}`}>
      <header class="bar">
        <h2 class="mono">{`#${id} ${detail.method}`}</h2>
        <Tag symbol={detail.side === '>' ? 'sent' : 'received'}>
          {detail.side === '>' ? 'sent' : detail.side === '<' ? 'received' : 'HTTP'}
        </Tag>
        <Tag>{detail.server}</Tag>
        {detail.isError && <Tag tone="bad" symbol="failed" text="error" />}
        <div class="actions push">
          <CopyButton text={() => JSON.stringify(detail.message, null, 2)} name="Copy the message" />
          {detail.span !== undefined && <ExportMenu span={detail.span} name="Export this call" />}
          <CloseButton name="Close the message" onClose={() => goTo('timeline')} />
        </div>
      </header>
      <div class="body">
        <Pairs
          rows={[
            ['Time', <span class="num">{clockTimeMs(detail.at)}</span>],
            ['Request', detail.span === undefined ? undefined : <Request id={id} of={detail.span} />],
            [
              'Belongs to',
              detail.screen === undefined || detail.screen === 'timeline' ? undefined : (
                <a href={linkTo(detail.screen, detail.server, ...subject)}>
                  {[detail.screen.replace(/s$/, ''), ...subject].join(' ')}
                </a>
              ),
            ],
            ['Size', byteSize(detail.bytes)],
            ...detail.masked.map((place) => ['Masked', <MaskedPlace id={id} place={place} />] as const),
          ]}
        />
        <JsonTree value={detail.message} label={`Message ${id}`} search />
      </div>
    </section>
  );
}
