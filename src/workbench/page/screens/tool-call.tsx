/** The Call tab of a tool: a form beside the JSON text, the call, and its outcome. */
import { useEffect } from 'preact/hooks';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import { TASKS } from '../../../model/names.ts';
import type { OfferRow } from '../../protocol-rows.ts';
import type { SpanRow } from '../../protocol-timeline.ts';
import { Button, MainButton, Note, Progress } from '../parts/elements.tsx';
import { type FieldSchema, isJsonObject } from '../parts/field-schema.ts';
import { SchemaForm } from '../parts/form.tsx';
import { fieldOf, initialValue, membersOf } from '../parts/form-model.ts';
import { InView } from '../parts/in-view.tsx';
import { TextField } from '../parts/inputs.tsx';
import { faultText, JsonEditor } from '../parts/json-editor.tsx';
import { formatJsonText, parseJsonText, withValueAt } from '../parts/json-text.ts';
import { CannotSend, Card, canSend } from '../parts/layout.tsx';
import { announceOutcome, failedOutcome } from '../parts/use-outcome.ts';
import { goTo } from '../route.ts';
import { announcement, callOrNotify, callVerb, newestSpans, progressOf, questions, servers } from '../store.ts';
import { draftOf, setDraftText, type ToolDraft } from './drafts.ts';
import { CallOutcome } from './outcome.tsx';

/** Calls the tool with the draft's arguments, and stores the outcome in the draft. */
async function callTool(tool: OfferRow, draft: ToolDraft, task: boolean): Promise<void> {
  const parsed = parseJsonText(draft.text.value);
  const meta = draft.meta.value === '' ? undefined : parseJsonText(draft.meta.value);
  if ('fault' in parsed || draft.running.value !== undefined) return;
  const ref = crypto.randomUUID();
  draft.running.value = ref;
  draft.followed.value = ref;
  announcement.value = '';
  const deadlineMs = Number(draft.deadline.value) * 1_000;
  try {
    draft.outcome.value = await callVerb('call', {
      server: tool.server,
      tool: tool.key,
      arguments: parsed.value as JsonObject,
      ref,
      ...(task && { task }),
      ...(deadlineMs > 0 && { deadlineMs }),
      ...(meta !== undefined && 'node' in meta && { meta: meta.value as JsonObject }),
    });
    const words = draft.outcome.value.result?.isError === true ? 'the tool reports an error' : undefined;
    announceOutcome(tool.name, draft.outcome.value, words);
  } catch (error) {
    draft.outcome.value = failedOutcome(error, ref);
  }
  draft.running.value = undefined;
}

/** Shows the tool's last call after a reload, or if another tab made it. */
async function followLast(tool: OfferRow, draft: ToolDraft): Promise<void> {
  const isOfTool = ({ server, method, subject }: SpanRow): boolean =>
    server === tool.server && method === 'tools/call' && subject === tool.key;
  const last = newestSpans.value.findLast((span) => isOfTool(span) && span.ref !== undefined);
  const ref = last?.ref;
  if (ref === undefined || draft.running.value !== undefined || draft.followed.value === ref) return;
  draft.followed.value = ref;
  if (last?.to === undefined) draft.running.value = ref;
  const result = await callVerb('call.outcome', { ref }).catch(() => undefined);
  if (draft.followed.value !== ref) return; // another call was made meanwhile
  if (result?.outcome !== undefined) draft.outcome.value = result.outcome;
  if (draft.running.value === ref) draft.running.value = undefined;
}

/** The tool's definition allows tasks, or the server has the tasks extension and can turn any call into one. */
function canBeTask(tool: OfferRow): boolean {
  const server = servers.value.find(({ label }) => label === tool.server);
  const extensions = server?.capabilities?.['extensions'] as JsonObject | undefined;
  return tool.task !== undefined || extensions?.[TASKS] !== undefined;
}

function Running({ id, server }: { id: string; server: string }) {
  const progress = progressOf.value[id];
  const waits = questions.value.some((question) => question.server === server);
  return (
    <Card
      title={waits ? 'Waiting for your answer' : 'Running'}
      label="The call runs"
      kind="running"
      data-state={waits ? 'waiting' : 'running'}
      symbol={waits ? 'asks' : 'working'}
      tone={waits ? 'warn' : undefined}
      beside={
        <div class="facts">
          {progress !== undefined && (
            <span>{`${progress.progress}${progress.total === undefined ? '' : ` of ${progress.total}`}`}</span>
          )}
          {progress?.message !== undefined && <span>{progress.message}</span>}
        </div>
      }
      actions={<Button small onClick={() => void callOrNotify('cancel', { ref: id })} text="Cancel" />}
    >
      {(!waits || progress !== undefined) && <Progress of={progress} label="Progress of the call" />}
    </Card>
  );
}

export function ToolCall({ tool }: { tool: OfferRow }) {
  const draft = draftOf(tool);
  const schema = (tool.inputSchema ?? tool.definition['inputSchema'] ?? {}) as FieldSchema;
  const text = draft.text.value;
  const parsed = parseJsonText(text);
  const setText = (next: string): void => setDraftText(tool, next);
  const isGood = 'node' in parsed && isJsonObject(parsed.value);
  const missing =
    'node' in parsed
      ? membersOf(fieldOf(schema, schema), undefined).filter(
          ({ name }) => isJsonObject(parsed.value) && !Object.hasOwn(parsed.value, name),
        )
      : [];
  const spans = newestSpans.value;
  useEffect(() => void followLast(tool, draft), [tool.name, spans]);
  const isRunning = draft.running.value !== undefined;
  const isReady = canSend(tool.server);
  const hasFault = metaFault(draft.meta.value) !== undefined || timeoutFault(draft.deadline.value) !== undefined;
  const cannotCall = !isGood || hasFault || isRunning || !isReady;
  const outcome = draft.outcome.value;
  return (
    <div class="body">
      <div class="editor">
        <div class="stack">
          <SchemaForm schema={schema} text={text} onText={setText} />
          <MoreOptions draft={draft} />
        </div>
        <JsonEditor
          text={text}
          onText={setText}
          onFormat={() => setText(formatJsonText(text))}
          missing={missing.map(({ name }) => name)}
          onAdd={(name) =>
            setText(
              withValueAt(text, [name], initialValue(missing.find((one) => one.name === name)?.schema ?? {}, schema)),
            )
          }
        />
      </div>
      {'node' in parsed && !isGood && (
        <Note tone="warn">Tool arguments must be a JSON object. Start the JSON with {'{'}.</Note>
      )}
      <div class="actions">
        <MainButton
          symbol="play"
          keys="ctrl-enter c"
          disabled={cannotCall}
          onClick={() => void callTool(tool, draft, false)}
          text="Call"
        />
        {canBeTask(tool) && (
          <Button disabled={cannotCall} onClick={() => void callTool(tool, draft, true)} text="Run as task" />
        )}
        <Button
          symbol="compare"
          disabled={!isGood || !isReady}
          onClick={() => goTo('compare', tool.server, tool.key)}
          text="Compare revisions"
        />
        {tool.view !== undefined && (
          <Button
            symbol="apps"
            disabled={!isGood || !isReady}
            onClick={() => goTo('apps', tool.server, tool.key)}
            text="Open the view"
          />
        )}
        <CannotSend server={tool.server} />
      </div>
      <InView of={draft.running.value ?? outcome}>
        {(of) => (typeof of === 'string' ? <Running id={of} server={tool.server} /> : <CallOutcome outcome={of} />)}
      </InView>
    </div>
  );
}

function metaFault(text: string): string | undefined {
  const parsed = text === '' ? undefined : parseJsonText(text);
  if (parsed === undefined || 'fault' in parsed) return parsed && faultText(parsed.fault);
  return isJsonObject(parsed.value) ? undefined : 'A JSON object is expected.';
}

const timeoutFault = (text: string): string | undefined =>
  text === '' || Number(text) > 0 ? undefined : 'A number of seconds is expected.';

function MoreOptions({ draft }: { draft: ToolDraft }) {
  return (
    <details class="more">
      <summary>
        Timeout and <code>_meta</code>
      </summary>
      <div class="stack">
        <TextField
          label="Timeout"
          note="seconds"
          inputMode="decimal"
          value={draft.deadline.value}
          onValue={(text) => {
            draft.deadline.value = text;
          }}
          fault={timeoutFault(draft.deadline.value)}
          help="Progress reports do not extend this timeout."
        />
        <TextField
          label="_meta"
          note="JSON object"
          rows={2}
          value={draft.meta.value}
          onValue={(text) => {
            draft.meta.value = text;
          }}
          fault={metaFault(draft.meta.value)}
        />
      </div>
    </details>
  );
}
