/** Tools: choose one, fill in a form or the JSON beside it, call it, see what came. */
import type { JsonObject } from '../../../jsonrpc/message.ts';
import { TASKS } from '../../../model/names.ts';
import type { OfferRow } from '../../protocol-rows.ts';
import type { MessageRow } from '../../protocol-timeline.ts';
import { Button, EmptyState, Icon, Note, Progress, Tabs, Tag } from '../parts/elements.tsx';
import { SchemaForm } from '../parts/form.tsx';
import { type FieldSchema, fieldOf, initialValue, membersOf } from '../parts/form-model.ts';
import { clockTime, count, duration } from '../parts/format.ts';
import { faultText, JsonEditor } from '../parts/json-editor.tsx';
import { formatted, parseJsonText, withValueAt } from '../parts/json-text.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { Card, canSend, RowTable, WhyNot } from '../parts/layout.tsx';
import { useAsked } from '../parts/use-asked.ts';
import { announceOutcome, failedOutcome } from '../parts/use-outcome.ts';
import { goTo, linkTo, route } from '../route.ts';
import { announcement, ask, messageTotal, offers, progressOf, send, servers } from '../store.ts';
import { draftOf, setDraftText, type ToolDraft } from './drafts.ts';
import { exportSpans } from './export-menu.ts';
import { type OfferLook, OfferScreen } from './offer-list.tsx';
import { CallOutcome } from './outcome.tsx';
import { Welcome } from './welcome.tsx';

function effectsLook(tool: OfferRow): OfferLook {
  if (tool.effects === 'read') return { symbol: 'read', word: 'read' };
  if (tool.effects === 'destructive') return { symbol: 'destructive', tone: 'bad', word: 'destructive' };
  return { symbol: 'write', word: tool.effects === 'write' ? 'write' : 'effects not stated' };
}

/** Sends the text as it is, and keeps what comes. */
async function callTool(tool: OfferRow, draft: ToolDraft, task: boolean): Promise<void> {
  const parsed = parseJsonText(draft.text.value);
  const meta = draft.meta.value === '' ? undefined : parseJsonText(draft.meta.value);
  if ('fault' in parsed || draft.running.value !== undefined) return;
  const ref = crypto.randomUUID();
  draft.running.value = ref;
  announcement.value = '';
  const deadlineMs = Number(draft.deadline.value) * 1_000;
  try {
    draft.outcome.value = await ask('call', {
      server: tool.server,
      tool: tool.key,
      arguments: parsed.node.value as JsonObject,
      ref,
      ...(task && { task }),
      ...(deadlineMs > 0 && { deadlineMs }),
      ...(meta !== undefined && 'node' in meta && { meta: meta.node.value as JsonObject }),
    });
    const words = draft.outcome.value.result?.isError === true ? 'the tool reports an error' : undefined;
    announceOutcome(tool.name, draft.outcome.value, words);
  } catch (error) {
    draft.outcome.value = failedOutcome(error, ref);
  }
  draft.running.value = undefined;
}

/** Its definition says so, or its server makes tasks of calls as it likes. */
function canBeTask(tool: OfferRow): boolean {
  const server = servers.value.find(({ label }) => label === tool.server);
  const extensions = server?.capabilities?.['extensions'] as JsonObject | undefined;
  return tool.task !== undefined || extensions?.[TASKS] !== undefined;
}

function Running({ draft }: { draft: ToolDraft }) {
  const ref = draft.running.value;
  if (ref === undefined) return null;
  const progress = progressOf.value[ref];
  return (
    <Card
      title="Running"
      label="The call runs"
      kind="running"
      symbol="working"
      beside={
        <div class="facts">
          {progress !== undefined && (
            <span>{`${progress.progress}${progress.total === undefined ? '' : ` of ${progress.total}`}`}</span>
          )}
          {progress?.message !== undefined && <span>{progress.message}</span>}
        </div>
      }
      actions={
        <Button small onClick={() => void send('cancel', { ref })}>
          Cancel
        </Button>
      }
    >
      <Progress value={progress?.progress} total={progress?.total} label="Progress of the call" />
    </Card>
  );
}

function CallTab({ tool }: { tool: OfferRow }) {
  const draft = draftOf(tool);
  const schema = (tool.inputSchema ?? tool.definition['inputSchema'] ?? {}) as FieldSchema;
  const text = draft.text.value;
  const parsed = parseJsonText(text);
  const setText = (next: string): void => setDraftText(tool, next);
  const isGood =
    'node' in parsed &&
    typeof parsed.node.value === 'object' &&
    parsed.node.value !== null &&
    !Array.isArray(parsed.node.value);
  const missing =
    'node' in parsed
      ? membersOf(fieldOf(schema, schema), undefined).filter(
          ({ name }) => parsed.node.members?.every((member) => member.name !== name) === true,
        )
      : [];
  const isRunning = draft.running.value !== undefined;
  const isReady = canSend(tool.server);
  const cannotCall = !isGood || isRunning || !isReady;
  const span = draft.outcome.value?.span;
  return (
    <div class="body">
      <div class="editor">
        <div class="stack">
          <SchemaForm schema={schema} text={text} onText={setText} />
          <MoreOptions draft={draft} />
        </div>
        <JsonEditor
          label="JSON"
          text={text}
          onText={setText}
          onFormat={() => setText(formatted(text))}
          missing={missing.map(({ name }) => name)}
          onAdd={(name) =>
            setText(
              withValueAt(text, [name], initialValue(missing.find((one) => one.name === name)?.schema ?? {}, schema)),
            )
          }
        />
      </div>
      {'node' in parsed && !isGood && (
        <Note tone="warn">The arguments of a tool are an object. Begin the JSON with {'{'}.</Note>
      )}
      <div class="actions">
        <Button
          kind="primary"
          symbol="play"
          keys="Ctrl ⏎"
          data-key="ctrl-enter"
          disabled={cannotCall}
          onClick={() => void callTool(tool, draft, false)}
        >
          Call
        </Button>
        {canBeTask(tool) && (
          <Button disabled={cannotCall} onClick={() => void callTool(tool, draft, true)}>
            As task
          </Button>
        )}
        <Button symbol="compare" disabled={!isGood || !isReady} onClick={() => goTo('compare', tool.server, tool.key)}>
          In two revisions
        </Button>
        {tool.view !== undefined && (
          <Button symbol="apps" disabled={!isGood || !isReady} onClick={() => goTo('apps', tool.server, tool.key)}>
            Open its view
          </Button>
        )}
        <Button
          kind="quiet"
          hidden
          data-key="c"
          disabled={cannotCall}
          onClick={() => void callTool(tool, draft, false)}
        >
          Call now
        </Button>
        {span !== undefined && (
          <Button kind="quiet" hidden data-key="y" onClick={() => void exportSpans([span], 'cli', false)}>
            Copy as command line
          </Button>
        )}
        <WhyNot server={tool.server} />
      </div>
      <Running draft={draft} />
      {draft.outcome.value !== undefined && !isRunning && <CallOutcome outcome={draft.outcome.value} />}
    </div>
  );
}

function MoreOptions({ draft }: { draft: ToolDraft }) {
  const fault = draft.meta.value === '' ? undefined : parseJsonText(draft.meta.value);
  return (
    <details class="more">
      <summary>
        Deadline and <code>_meta</code>
      </summary>
      <div class="stack">
        <div class="field">
          <label for="deadline">
            Deadline <span>seconds</span>
          </label>
          <input
            class="input"
            id="deadline"
            inputMode="decimal"
            value={draft.deadline.value}
            onInput={(event) => {
              draft.deadline.value = event.currentTarget.value;
            }}
          />
          <small>Progress of the tool extends it.</small>
        </div>
        <div class="field">
          <label for="meta">
            _meta <span>JSON object</span>
          </label>
          <textarea
            class="input"
            id="meta"
            rows={2}
            spellcheck={false}
            value={draft.meta.value}
            onInput={(event) => {
              draft.meta.value = event.currentTarget.value;
            }}
          />
          {fault !== undefined && 'fault' in fault && <small data-tone="bad">{faultText(fault.fault)}</small>}
        </div>
      </div>
    </details>
  );
}

/** Calls of this tool in this session, from the timeline, newest first. */
function HistoryTab({ tool }: { tool: OfferRow }) {
  const filter = { server: tool.server, method: 'tools/call' };
  const { said } = useAsked('timeline.page', { limit: 500, filter }, messageTotal.value);
  const rows = (said?.rows ?? []).filter(({ subject }) => subject === tool.key).toReversed();
  const calls = rows.filter(({ side }) => side === '>');
  const responseOf = (call: MessageRow): MessageRow | undefined =>
    rows.find(({ kind, span }) => kind === 'response' && span === call.id);
  const again = async (id: number): Promise<void> => {
    const said = await send('timeline.message', { id });
    const params = said?.message['params'] as JsonObject | undefined;
    setDraftText(tool, JSON.stringify(params?.['arguments'] ?? {}, null, 2));
    draftOf(tool).tab.value = 'call';
  };
  if (said === undefined) return null;
  if (calls.length === 0)
    return (
      <EmptyState symbol="tools" title="Not called yet">
        <p>Every call of this tool is listed here while the workbench runs. “Use again” fills in its arguments.</p>
      </EmptyState>
    );
  return (
    <RowTable heads={['#', 'Time', 'Took', ['Outcome', 'wide'], ['Actions', 'sr']]}>
      {calls.map((row) => {
        const response = responseOf(row);
        return (
          <tr key={row.id}>
            <td class="num">
              <a href={linkTo('timeline', row.id)}>{row.id}</a>
            </td>
            <td class="num">{clockTime(row.at)}</td>
            <td class="num">{duration(response?.ms)}</td>
            <td class="wide">{response === undefined ? 'no response' : response.isError ? 'error' : 'result'}</td>
            <td>
              <Button small onClick={() => void again(row.id)}>
                Use again
              </Button>
            </td>
          </tr>
        );
      })}
    </RowTable>
  );
}

const pins: Readonly<Record<string, readonly [tone: 'warn' | 'bad' | undefined, word: string]>> = {
  approved: [undefined, 'pinned'],
  new: [undefined, 'not pinned'],
  changed: ['bad', 'changed since approved'],
  suspicious: ['bad', 'suspicious text'],
};

function Tool({ tool }: { tool: OfferRow }) {
  const draft = draftOf(tool);
  const look = effectsLook(tool);
  const pin = tool.status === undefined ? undefined : pins[tool.status];
  return (
    <div class="pane call" data-server={tool.server}>
      <header class="head">
        {tool.icon !== undefined && <img src={tool.icon} alt="" width={20} height={20} />}
        <h1>{tool.name}</h1>
        <Tag symbol={look.symbol} tone={look.tone}>
          {look.word}
        </Tag>
        {pin !== undefined && (
          <Tag symbol="lock" tone={pin[0]}>
            {pin[1]}
          </Tag>
        )}
        {tool.tokens !== undefined && <Tag>{count(tool.tokens, 'token')}</Tag>}
        {tool.findings > 0 && (
          <a class="tag" data-tone="warn" href={linkTo('catalogue', tool.name)}>
            <Icon name="warning" />
            {count(tool.findings, 'finding')}
          </a>
        )}
        <p class="lead">
          {tool.description === ''
            ? 'No description. A model sees only the name and the parameters.'
            : tool.description}
        </p>
        {tool.warnings.map((warning) => (
          <Note tone="bad" key={warning}>
            {warning}
          </Note>
        ))}
        {pin?.[0] === 'bad' && (
          <p class="lead">
            You are asked before each call.{' '}
            <a href={linkTo('policy')}>Compare it with what you approved, and accept it</a>
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
        {draft.tab.value === 'call' && <CallTab tool={tool} />}
        {draft.tab.value === 'definition' && (
          <div class="body">
            <JsonTree value={tool.definition} label="Definition" search />
          </div>
        )}
        {draft.tab.value === 'history' && <HistoryTab tool={tool} />}
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
      other={[`No tool ${key}`, <p>No connected server offers a tool of this name now.</p>]}
    >
      {(tool) => <Tool key={`${tool.server} ${tool.key}`} tool={tool} />}
    </OfferScreen>
  );
}
