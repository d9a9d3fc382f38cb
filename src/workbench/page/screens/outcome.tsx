/** The card with the outcome of an action: content or error, duration, and the decision that allowed it. */
import type { ComponentChildren } from 'preact';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import type { ActFailure, CallValue, Outcome } from '../../protocol-rows.ts';
import { ContentBlock } from '../parts/content.tsx';
import { Icon, Note, type Tone, type WithChildren } from '../parts/elements.tsx';
import { count, duration, sentence } from '../parts/format.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { Card } from '../parts/layout.tsx';
import { linkTo } from '../route.ts';
import { decisionWords } from './decision-words.ts';
import { ExportMenu } from './export-menu.tsx';

export function OutcomeCard<R>(
  props: { title: string; outcome: Outcome<R>; facts?: ComponentChildren } & WithChildren,
) {
  const { title, outcome, children, facts } = props;
  const { span, decision, error } = outcome;
  const heading = error === undefined ? title : failureHeading(error);
  return (
    <Card
      title={heading}
      kind="result"
      data-state={error === undefined ? 'done' : 'failed'}
      tone={error && failureTone(error)}
      symbol={error && (failureTone(error) === undefined ? 'skipped' : 'failed')}
      beside={
        <div class="facts">
          <span>
            {duration(outcome.ms - outcome.waitedMs)}{' '}
            {outcome.waitedMs > 0 && <span class="dim">{`+ ${duration(outcome.waitedMs)} waiting for you`}</span>}
          </span>
          {facts}
          {decision !== undefined && (
            <a href={linkTo('policy', decision.act)} title={decision.rule}>
              {decisionWords(decision)}
            </a>
          )}
          {span !== undefined && <a href={linkTo('timeline', span)}>{`#${span}`}</a>}
        </div>
      }
      actions={span !== undefined && <ExportMenu span={span} />}
    >
      <div class="in">
        {error !== undefined && <FailureText error={error} />}
        {error?.code === 'MCP_DENIED' && decision !== undefined && (
          <p>
            <a href={linkTo('policy', decision.act)}>See the decision and the rules</a>
          </p>
        )}
        {children}
      </div>
    </Card>
  );
}

function failureHeading({ code, unknownOutcome }: ActFailure): string {
  if (unknownOutcome === true) return 'Outcome unknown';
  if (code === 'MCP_CANCELLED') return 'Cancelled';
  return code === 'MCP_DENIED' ? 'Denied' : 'Failed';
}

/** The tone of a failure; a cancellation is none, because the user wanted it. */
function failureTone({ code, unknownOutcome }: ActFailure): Tone | undefined {
  if (unknownOutcome === true) return 'warn';
  return code === 'MCP_CANCELLED' ? undefined : 'bad';
}

function FailureText({ error }: { error: ActFailure }) {
  return (
    <>
      <Note tone={failureTone(error)}>
        <strong>{sentence(error.message.replace(/; act [\w-]+(?=\))/, ''))}</strong>
        {error.remedy !== undefined && <p>{error.remedy}</p>}
        {error.unknownOutcome === true && error.code !== 'MCP_OUTCOME_UNKNOWN' && (
          <p>Whether the server finished the call is unknown. Check on the server before you call again.</p>
        )}
        {error.code !== undefined && (
          <p class="dim">
            <code>{error.code}</code>
          </p>
        )}
      </Note>
      {error.outstanding !== undefined && error.outstanding.length > 0 && (
        <div>
          <h3>Open requests at the timeout</h3>
          <ul class="bullets">
            {error.outstanding.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      {error.rpc !== undefined && <JsonTree value={error.rpc} label="Error of the server" />}
    </>
  );
}

export function CallOutcome({ outcome }: { outcome: Outcome<CallValue> }) {
  const value = outcome.result;
  const content = value?.result['content'];
  const structured = value?.result['structuredContent'];
  const blocks = Array.isArray(content) ? (content as JsonObject[]) : [];
  const facts = value !== undefined && (
    <>
      {value.output.state !== 'none' && (
        <span class="toned" data-tone={value.output.state === 'valid' ? 'ok' : 'bad'}>
          <Icon name={value.output.state === 'valid' ? 'check' : 'failed'} />
          output schema
        </span>
      )}
      <span>{count(value.tokens, 'token')}</span>
    </>
  );
  return (
    <OutcomeCard
      title={value?.isError === true ? 'Tool error' : value?.ticket === undefined ? 'Result' : 'Task'}
      outcome={outcome}
      facts={facts}
    >
      {value?.ticket !== undefined && (
        <p>
          The call runs as a task. <a href={linkTo('tasks', value.ticket)}>Open the task</a>
        </p>
      )}
      {value?.isError === true && (
        <Note tone="warn">
          The tool ran and returned <code>isError: true</code>. A model gets this text.
        </Note>
      )}
      {value !== undefined && value.output.faults.length > 0 && (
        <Note tone="bad">
          <strong>The result does not match the output schema of the tool.</strong>
          <ul class="bullets">
            {value.output.faults.map((fault) => (
              <li key={fault.path + fault.message}>
                <code>{fault.path === '' ? '/' : fault.path}</code> {fault.message}
              </li>
            ))}
          </ul>
          <p>
            Clients can reject such a result. Correct the result, or the <code>outputSchema</code>.
          </p>
        </Note>
      )}
      {blocks.map((block, at) => (
        <ContentBlock key={String(at) + String(block['type'])} block={block} />
      ))}
      {structured !== undefined && <JsonTree value={structured} label="Structured content" />}
      {value !== undefined && value.ticket === undefined && blocks.length === 0 && structured === undefined && (
        <p class="dim">The result has no content.</p>
      )}
    </OutcomeCard>
  );
}
