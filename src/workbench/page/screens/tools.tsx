/** The Tools screen: calls a tool, and shows its definition and its earlier calls. */
import type { OfferRow } from '../../protocol-rows.ts';
import { Tabs } from '../parts/choices.tsx';
import { Icon, Note, Tag } from '../parts/elements.tsx';
import { count, sentence } from '../parts/format.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { linkTo, route } from '../route.ts';
import { offers, servers } from '../store.ts';
import { draftOf } from './drafts.ts';
import { type OfferLook, OfferScreen } from './offer-list.tsx';
import { isPinAlarm, PinTag } from './pin-tag.tsx';
import { ToolCall } from './tool-call.tsx';
import { ToolHistory } from './tool-history.tsx';
import { Welcome } from './welcome.tsx';

function effectsLook(tool: OfferRow): OfferLook {
  if (tool.effects === 'read') return { symbol: 'read', word: 'read' };
  if (tool.effects === 'destructive') return { symbol: 'destructive', tone: 'bad', word: 'destructive' };
  return { symbol: 'write', word: tool.effects === 'write' ? 'write' : 'effects unknown' };
}

function Tool({ tool }: { tool: OfferRow }) {
  const draft = draftOf(tool);
  const look = effectsLook(tool);
  return (
    <div class="pane call" data-server={tool.server}>
      <header class="head">
        {tool.icon !== undefined && <img src={tool.icon} alt="" width={20} height={20} />}
        <h1>{tool.name}</h1>
        <Tag symbol={look.symbol} tone={look.tone} text={look.word} />
        <PinTag status={tool.status} />
        {tool.tokens !== undefined && <Tag>{count(tool.tokens, 'token')}</Tag>}
        {tool.findings > 0 && (
          <a class="tag" data-tone="warn" href={linkTo('catalogue', tool.name)}>
            <Icon name="warning" />
            {count(tool.findings, 'finding')}
          </a>
        )}
        <p class="lead" dir="auto">
          {tool.description === ''
            ? 'No description. A model sees only the name and the parameters.'
            : tool.description}
        </p>
        {tool.warnings.map((warning) => (
          <Note tone="bad" key={warning}>
            {sentence(warning)}
          </Note>
        ))}
        {isPinAlarm(tool.status) && (
          <p class="lead">
            You are asked before a model calls it.{' '}
            <a href={linkTo('policy')}>See what changed, and accept the change</a>
          </p>
        )}
      </header>
      <Tabs
        label={tool.name}
        current={draft.tab.value}
        onChoose={(id) => {
          draft.tab.value = id;
        }}
        items={[
          { id: 'call', title: 'Call' },
          { id: 'definition', title: 'Definition' },
          { id: 'history', title: 'History' },
        ]}
      />
      <div role="tabpanel" aria-label={draft.tab.value}>
        {draft.tab.value === 'call' && <ToolCall tool={tool} />}
        {draft.tab.value === 'definition' && (
          <div class="body">
            <JsonTree value={tool.definition} label="Definition" search />
          </div>
        )}
        {draft.tab.value === 'history' && <ToolHistory tool={tool} />}
      </div>
    </div>
  );
}

export function ToolsScreen() {
  const [, key] = route.value.of;
  if (servers.value.length === 0) return <Welcome />;
  return (
    <OfferScreen
      screen="tools"
      title="Tools"
      items={offers.value.tool}
      look={effectsLook}
      none={['No tools yet', <p>Tools appear here as soon as a connected server lists them.</p>]}
      other={[`Unknown tool ${key}`, <p>No connected server offers a tool with this name.</p>]}
    >
      {(tool) => <Tool key={`${tool.server} ${tool.key}`} tool={tool} />}
    </OfferScreen>
  );
}
