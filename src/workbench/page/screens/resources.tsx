/** The Resources screen: reads and watches resources, and completes variables of templates. */
import { useState } from 'preact/hooks';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import { UriTemplate } from '../../../model/uri-template.ts';
import type { OfferRow } from '../../protocol-rows.ts';
import { CompletingFields } from '../parts/completing-fields.tsx';
import { ResourceContent } from '../parts/content.tsx';
import { Diff } from '../parts/diff.tsx';
import { Button, CopyButton, MainButton, Note, Tag } from '../parts/elements.tsx';
import { byteSize, clockTime, sentence } from '../parts/format.ts';
import { InView } from '../parts/in-view.tsx';
import { CannotSend, Card, canSend } from '../parts/layout.tsx';
import { useOutcome } from '../parts/use-outcome.ts';
import { callOrNotify, callVerb, changes, notice, offers, watched } from '../store.ts';
import { OfferScreen } from './offer-list.tsx';
import { OutcomeCard } from './outcome.tsx';

function Contents({ server, uri }: { server: string; uri: string }) {
  const { outcome, isBusy, follow } = useOutcome<JsonObject>();
  const isWatched = watched.value.some((one) => one.server === server && one.uri === uri);
  const read = (): Promise<void> => follow(uri, callVerb('read', { server, uri }));
  const watch = async (): Promise<void> => {
    const result = await callOrNotify('watch', { server, uri, on: !isWatched });
    if (result === undefined) return;
    watched.value = result.watched;
    notice.value = isWatched ? 'Subscription ended.' : 'Subscribed. Each change appears below as a diff.';
  };
  const contents = outcome?.result?.['contents'];
  return (
    <>
      <div class="actions">
        <MainButton symbol="play" disabled={isBusy || !canSend(server)} onClick={() => void read()} text="Read" />
        <Button
          symbol="read"
          aria-pressed={isWatched}
          disabled={!canSend(server)}
          onClick={() => void watch()}
          title="Subscribe to the resource, and show each change"
          text={isWatched ? 'Watching' : 'Watch'}
        />
        <CopyButton text={uri} name="Copy the URI" />
        <CannotSend server={server} />
      </div>
      <InView of={outcome}>
        {(got) => (
          <OutcomeCard title="Contents" outcome={got}>
            {Array.isArray(contents) &&
              contents.map((content: JsonObject) => (
                <ResourceContent
                  key={String(content['uri'])}
                  content={content}
                  isAlone={contents.length === 1 && content['uri'] === uri}
                />
              ))}
          </OutcomeCard>
        )}
      </InView>
      <Changes server={server} uri={uri} />
    </>
  );
}

function Changes({ server, uri }: { server: string; uri: string }) {
  const own = changes.value.filter((change) => change.server === server && change.uri === uri).toReversed();
  return (
    <>
      {own.map((change) => (
        <Card
          key={change.at}
          title="Changed"
          label={`Change at ${clockTime(change.at)}`}
          beside={<span class="num dim">{clockTime(change.at)}</span>}
        >
          {change.error === undefined ? (
            <Diff before={change.before ?? ''} after={change.after ?? ''} label="What changed" />
          ) : (
            <Note tone="bad">{`${sentence(change.error)} Press Watch to subscribe again.`}</Note>
          )}
        </Card>
      ))}
    </>
  );
}

function Resource({ item }: { item: OfferRow }) {
  return (
    <div class="body">
      <Contents server={item.server} uri={item.key} />
    </div>
  );
}

function Template({ item }: { item: OfferRow }) {
  const names = templateOf(item.key)?.variables ?? [];
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const uri = templateOf(item.key)?.expand(values) ?? item.key;
  const isWhole = names.every((name) => (values[name] ?? '') !== '');
  return (
    <div class="body">
      <CompletingFields
        server={item.server}
        of={{ type: 'template', uri: item.key }}
        fields={names.map((name) => ({ name, label: name, note: 'variable' }))}
        values={values}
        onValues={setValues}
      />
      <div class="field">
        <span class="label">URI</span>
        <div class="well" data-uri="">
          {uri}
        </div>
      </div>
      {isWhole ? (
        <Contents key={uri} server={item.server} uri={uri} />
      ) : (
        <p class="dim">Fill in the variables to read the resource.</p>
      )}
    </div>
  );
}

function ResourcePane({ item }: { item: OfferRow }) {
  const { mimeType, size } = item.definition;
  const Body = item.kind === 'template' ? Template : Resource;
  return (
    <div class="pane" data-server={item.server}>
      <header class="head">
        <h1>{item.title}</h1>
        {item.kind === 'template' && <Tag symbol="template" text="template" />}
        {typeof mimeType === 'string' && <Tag>{mimeType}</Tag>}
        {typeof size === 'number' && <Tag>{byteSize(size)}</Tag>}
        <p class="lead">
          <code>{item.key}</code>
        </p>
        {item.description !== '' && <p class="lead">{item.description}</p>}
      </header>
      <Body item={item} />
    </div>
  );
}

function templateOf(source: string): UriTemplate | undefined {
  try {
    return new UriTemplate(source);
  } catch {
    return undefined;
  }
}

export const ResourcesScreen = () => (
  <OfferScreen
    screen="resources"
    title="Resources"
    items={[...offers.value.template, ...offers.value.resource]}
    name={(item) => (item.kind === 'template' ? item.key : item.title)}
    look={({ kind }) => ({ symbol: kind === 'template' ? 'template' : 'resources', word: kind })}
    none={['No resources', <p>No connected server offers a resource. Mooring servers define them with resource().</p>]}
    other={['Choose a resource', <p>Read the resource once, or watch it to see each change as a diff.</p>]}
  >
    {(item) => <ResourcePane key={`${item.server} ${item.key}`} item={item} />}
  </OfferScreen>
);
