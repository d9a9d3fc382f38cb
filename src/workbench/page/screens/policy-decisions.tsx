/** The table of decisions, newest first, with details of the one in the URL. */
import { Fragment } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DecisionRow } from '../../protocol-rows.ts';
import { Segments } from '../parts/choices.tsx';
import { Button, CloseButton, EmptyState, Icon, Pairs, Tag } from '../parts/elements.tsx';
import { brief, clockTime, count, sentence } from '../parts/format.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { Card, RowTable } from '../parts/layout.tsx';
import { useVerb } from '../parts/use-verb.ts';
import { goTo, linkTo, route } from '../route.ts';
import { newestDecision } from '../store.ts';
import { decisionWords, outcomeCode, outcomeWords, ruleWords } from './decision-words.ts';

const PAGE = 200;
const emptyTitles = {
  all: 'No decisions yet',
  asked: 'No action needed your permission',
  denied: 'No action was denied',
} as const;

export function Decisions() {
  const [only, setOnly] = useState<'asked' | 'denied'>();
  const [offset, setOffset] = useState<number>();
  const [act] = route.value.of;
  const { result } = useVerb(
    'policy.decisions',
    {
      limit: PAGE,
      ...(only !== undefined && { only }),
      ...(act !== undefined && { act }),
      ...(offset !== undefined && { offset }),
    },
    newestDecision.value,
  );
  const { decisions = [], total = 0, offset: from = 0 } = result ?? {};
  // After a link to a decision: keeps its page when the decision is closed. A layout effect, so that it cannot undo a later click.
  useLayoutEffect(() => void (from > 0 && setOffset(from)), [from]);
  return (
    <>
      <div class="bar">
        <h2>Decisions</h2>
        <Segments
          label="Show decisions"
          current={only ?? 'all'}
          onChoose={(id) => {
            setOnly(id === 'all' ? undefined : (id as 'asked'));
            setOffset(undefined);
          }}
          items={[
            { id: 'all', title: 'All' },
            { id: 'asked', title: 'Asked' },
            { id: 'denied', title: 'Denied' },
          ]}
        />
        <div class="facts">
          <span class="dim">
            {total > PAGE
              ? `${from + 1}–${from + decisions.length} of ${count(total, 'action')}`
              : count(total, 'action')}
          </span>
          {total > PAGE && (
            <>
              <Button small disabled={from === 0} onClick={() => setOffset(Math.max(0, from - PAGE))} text="Newer" />
              <Button small disabled={from + PAGE >= total} onClick={() => setOffset(from + PAGE)} text="Older" />
            </>
          )}
        </div>
      </div>
      {decisions.length === 0 ? (
        result !== undefined && (
          <EmptyState
            symbol="policy"
            title={emptyTitles[only ?? 'all']}
            text="The rules decide each action, such as a connection, a call, a read or an answer. Each row names the rule that decided."
          />
        )
      ) : (
        <RowTable heads={['Time', ['Action', 'wide'], 'Decision', 'Outcome']}>
          {decisions.map((row) => (
            <Fragment key={row.act}>
              <DecisionLine row={row} isOpen={row.act === act} />
              {row.act === act && <DecisionDetail row={row} />}
            </Fragment>
          ))}
        </RowTable>
      )}
    </>
  );
}

function DecisionLine({ row, isOpen }: { row: DecisionRow; isOpen: boolean }) {
  const text = decisionWords(row);
  return (
    <tr aria-selected={isOpen} data-act={row.act}>
      <td class="num">{clockTime(row.at)}</td>
      <td class="wide">
        <a href={linkTo('policy', row.act)} data-row="">
          <span class="dim">{`${row.server} ${row.kind} `}</span>
          <code>{brief(row.name, 48)}</code> <code class="dim">{brief(row.arguments)}</code>
        </a>
      </td>
      <td class="cut" title={`${text}. ${row.why}`}>
        <Icon name={row.allowed ? 'check' : 'failed'} tone={row.allowed ? 'ok' : 'bad'} /> {text}
      </td>
      <td class="cut" title={outcomeCode(row) ?? outcomeWords(row)}>
        {outcomeWords(row)}
      </td>
    </tr>
  );
}

function DecisionDetail({ row }: { row: DecisionRow }) {
  const code = outcomeCode(row);
  const own = useRef<HTMLTableRowElement>(null);
  useLayoutEffect(() => own.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <tr ref={own}>
      <td class="wide open" colSpan={4}>
        <Card
          title={`${row.server} ${row.kind} ${row.name}`}
          label="Decision"
          beside={<Tag tone={row.allowed ? 'ok' : 'bad'} text={decisionWords(row)} />}
          actions={<CloseButton name="Close the decision" onClose={() => goTo('policy')} />}
        >
          <div class="in">
            <Pairs
              rows={[
                ['Rule', <code>{ruleWords(row.rule)}</code>],
                ['Reason', sentence(row.why)],
                ['Outcome', outcomeWords(row)],
                ['Error code', code && <code>{code}</code>],
              ]}
            />
            <JsonTree value={row.arguments} label="Arguments" />
          </div>
        </Card>
      </td>
    </tr>
  );
}
