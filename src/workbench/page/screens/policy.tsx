/** Policy: rules in order, which rule decided each act, a copy of the rules to try, approvals, audit and lock. */
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { VerbResult } from '../../protocol.ts';
import type { DraftRule, LockRow, RuleRow } from '../../protocol-policy.ts';
import type { DecisionRow } from '../../protocol-rows.ts';
import { Diff } from '../parts/diff.tsx';
import { Button, CloseButton, EmptyState, Icon, Note, Pairs, Segments, Tag, type Tone } from '../parts/elements.tsx';
import { brief, clockTime, count, sentence } from '../parts/format.ts';
import { faultText } from '../parts/json-editor.tsx';
import { parseJsonText } from '../parts/json-text.ts';
import { JsonTree } from '../parts/json-tree.tsx';
import { Card, RowTable } from '../parts/layout.tsx';
import { useAsked } from '../parts/use-asked.ts';
import { goTo, linkTo, route } from '../route.ts';
import { ask, newestDecision, notice, send, sentenceOf } from '../store.ts';
import { allowedBy, outcomeCode, outcomeWords } from './decision-words.ts';

const toneOf = (verb: string): Tone | undefined =>
  (({ deny: 'bad', allow: 'ok', ask: 'warn' }) as const)[verb as 'deny'];

/** `where: function typedByYou` as words. */
const ruleWords = (text: string): string =>
  text
    .replace(/^trustAnnotationsOf/, 'trust annotations of')
    .replace(/^noFlow/, 'stop flow')
    .replaceAll(/where: function ?(\w*)/g, (_, name: string) =>
      name === '' ? 'under a condition' : `where ${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
    );

function Rules({ rules }: { rules: readonly RuleRow[] }) {
  return (
    <ol>
      {rules.map((rule, at) => {
        const [verb = '', ...rest] = ruleWords(rule.text).split(' ');
        return (
          <li class="rule" key={rule.text}>
            <span class="num">{at + 1}</span>
            <span class="verb" data-tone={toneOf(verb)}>
              {verb}
            </span>
            <code>{rest.join(' ')}</code>
            <span class="num" title="acts of this session that it decided">
              {rule.decided}
            </span>
          </li>
        );
      })}
      <li class="rule">
        <span class="num">–</span>
        <span class="verb" data-tone="warn">
          ask
        </span>
        <code>everything else</code>
        <span />
      </li>
    </ol>
  );
}

const example = `[
  { "verdict": "deny", "match": { "effects": "destructive" } }
]`;

/** Rules to try on what happened. Nothing changes. */
function Rehearsal({ onDone }: { onDone(): void }) {
  const [text, setText] = useState(example);
  const [found, setFound] = useState<VerbResult<'policy.rehearse'>>();
  const [failure, setFailure] = useState<string>();
  const parsed = parseJsonText(text);
  const fault = 'fault' in parsed ? parsed.fault : undefined;
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => result.current?.scrollIntoView({ block: 'nearest' }), [found]);
  const rehearse = async (): Promise<void> => {
    setFailure(undefined);
    if ('node' in parsed)
      await ask('policy.rehearse', { rules: parsed.node.value as unknown as DraftRule[] }).then(
        setFound,
        (error: unknown) => setFailure(sentenceOf(error)),
      );
  };
  return (
    <section class="body" aria-label="Rules to try">
      <div class="field">
        <label for="draft-rules">
          Rules to try <span>before yours, on the acts of this session</span>
        </label>
        <textarea
          class="input"
          id="draft-rules"
          rows={6}
          spellcheck={false}
          value={text}
          aria-invalid={fault === undefined ? undefined : 'true'}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {fault !== undefined && <small data-tone="bad">{faultText(fault)}</small>}
        <small>
          A list of <code>{'{ verdict, match }'}</code>. Verdicts are allow, ask and deny. A match names server, kind,
          name, effects or arguments.
        </small>
      </div>
      <div class="actions">
        <Button kind="primary" data-key="ctrl-enter" disabled={fault !== undefined} onClick={() => void rehearse()}>
          Rehearse
        </Button>
        <CloseButton name="Close the rules to try" onClose={onDone} />
      </div>
      {failure !== undefined && <Note tone="bad">{failure}</Note>}
      {found !== undefined && (
        <Note tone="accent" aria-live="polite">
          <strong>
            {found.changes.length === 0
              ? `All ${count(found.decisions, 'act')} would be decided as before.`
              : `${count(
                  found.changes.reduce((sum, change) => sum + change.count, 0),
                  'act',
                )} of ${found.decisions} would be decided otherwise.`}
          </strong>
          <ul class="bullets">
            {found.changes.map((change) => (
              <li key={`${change.rule}${change.from}${change.to}${change.example.act}`}>
                <code>{`${change.example.server} ${change.example.name}`}</code>{' '}
                {change.count > 1 && `and ${change.count - 1} more `}
                {`${change.from} → ${change.to}, by ${change.rule}`}
              </li>
            ))}
            {found.undecidable.map((one) => (
              <li key={one.why}>{`${count(one.count, 'act')} cannot be told: ${one.why}`}</li>
            ))}
          </ul>
        </Note>
      )}
      <div ref={result} />
    </section>
  );
}

function Decisions() {
  const [shows, setShows] = useState('all');
  const [act] = route.value.of;
  const { said } = useAsked('policy.decisions', { limit: 200 }, newestDecision.value);
  const rows = said?.decisions ?? [];
  const shown = rows.filter(
    (row) => row.act === act || shows === 'all' || (shows === 'asked about' ? row.verdict === 'ask' : !row.allowed),
  );
  return (
    <>
      <div class="bar">
        <h2>Decisions</h2>
        <Segments
          label="Which decisions"
          current={shows}
          onChoose={setShows}
          items={[
            { id: 'all', title: 'All' },
            { id: 'asked about', title: 'Asked' },
            { id: 'denied', title: 'Denied' },
          ]}
        />
        <div class="facts">
          <span class="dim">{count(said?.total ?? 0, 'act')}</span>
        </div>
      </div>
      {shown.length === 0 ? (
        said !== undefined && (
          <EmptyState symbol="policy" title={rows.length === 0 ? 'No decisions yet' : `No act was ${shows}`}>
            <p>
              Every act passes the rules: connecting, calling, reading, answering. The rule that decided it is named
              here.
            </p>
          </EmptyState>
        )
      ) : (
        <RowTable heads={['Time', ['Act', 'wide'], 'Decision', 'Outcome']}>
          {shown.map((row) => {
            const text = allowedBy(row);
            return (
              <Fragment key={row.act}>
                <tr aria-selected={row.act === act} data-act={row.act}>
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
                {row.act === act && (
                  <tr>
                    <td class="wide open" colSpan={4}>
                      <DecisionDetail row={row} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </RowTable>
      )}
    </>
  );
}

function DecisionDetail({ row }: { row: DecisionRow }) {
  const code = outcomeCode(row);
  return (
    <Card
      title={`${row.server} ${row.kind} ${row.name}`}
      label="Decision"
      beside={<Tag tone={toneOf(row.allowed ? 'allow' : 'deny')}>{allowedBy(row)}</Tag>}
      actions={<CloseButton name="Close the decision" onClose={() => goTo('policy')} />}
    >
      <div class="in">
        <Pairs
          rows={[
            ['Rule', <code>{ruleWords(row.rule)}</code>],
            ['Because', sentence(row.why)],
            ['Outcome', outcomeWords(row)],
            ['Code', code && <code>{code}</code>],
          ]}
        />
        <JsonTree value={row.arguments} label="Arguments" />
      </div>
    </Card>
  );
}

function Lock() {
  const { said, again } = useAsked('lock.diff', {}, newestDecision.value);
  const { items = [], file } = said ?? {};
  const open = items.filter(({ status }) => status === 'changed' || status === 'suspicious');
  const unpinned = items.filter(({ status }) => status === 'new').length;
  const accept = async (item: LockRow): Promise<void> => {
    await send('lock.accept', { kind: item.kind, name: item.name, hash: item.hash });
    again();
  };
  return (
    <Card
      title="Lock"
      beside={
        <>
          {said !== undefined && (
            <Tag tone={open.length > 0 ? 'warn' : 'ok'} symbol={open.length > 0 ? 'warning' : 'check'}>
              {open.length > 0 ? count(open.length, 'change') : 'nothing changed'}
            </Tag>
          )}
          <span class="dim">{file === undefined ? 'in memory' : file}</span>
        </>
      }
    >
      {items.length === 0 && (
        <p class="in dim">What a server offers is pinned when you first allow it. Differences appear here.</p>
      )}
      {open.slice(0, 50).map((item) => (
        <div key={`${item.kind}${item.name}`} class="lock-row">
          <div class="facts">
            <code>{item.name}</code>
            <span class="dim">{item.kind}</span>
            <Tag tone="bad">{item.status}</Tag>
            <Button small onClick={() => void accept(item)}>
              Accept
            </Button>
          </div>
          {item.changes.map((line) => {
            const [, what, before, after] = /^(.*) changed from "(.*)" to "(.*)"$/s.exec(line) ?? [];
            return before === undefined || after === undefined ? (
              <p class="problem" key={line}>
                {sentence(line)}
              </p>
            ) : (
              <Diff key={line} before={before} after={after} label={`How ${what} changed`} />
            );
          })}
        </div>
      ))}
      {items.length > 0 && (
        <footer>{`${items.length - open.length - unpinned} of ${count(items.length, 'definition')} are pinned as approved${unpinned > 0 ? `, ${unpinned} are not pinned yet` : ''}.`}</footer>
      )}
    </Card>
  );
}

function Approvals() {
  const { said, again } = useAsked('policy.approvals', {}, newestDecision.value);
  const rows = said?.approvals ?? [];
  const revoke = async (id: string): Promise<void> => {
    if ((await send('policy.revoke', { id }))?.revoked === true) notice.value = 'Revoked. You are asked again.';
    again();
  };
  return (
    <Card title="Approvals" beside={<Tag>{rows.length}</Tag>}>
      {rows.length === 0 ? (
        <p class="in dim">Nothing is remembered. “Always” in a question makes an approval.</p>
      ) : (
        <ul>
          {rows.map((row) => (
            <li class="approval" key={row.id}>
              <code>{`${row.kind} ${brief(row.name, 60)}`}</code>
              <span class="dim">{`${row.anyArguments ? 'any arguments' : 'these arguments'}, ${row.until === 'session' ? 'this session' : `until ${new Date(row.until).toLocaleString('en-GB')}`}`}</span>
              <Button small onClick={() => void revoke(row.id)}>
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Audit() {
  const { said, again } = useAsked('audit.verify', {});
  return (
    <Card
      title="Audit"
      beside={
        said !== undefined && (
          <Tag tone={said.ok ? 'ok' : 'bad'} symbol={said.ok ? 'check' : 'failed'}>
            {said.ok ? 'chain intact' : 'chain broken'}
          </Tag>
        )
      }
      actions={
        <Button small onClick={again}>
          Verify
        </Button>
      }
    >
      <div class="in" aria-live="polite">
        {said !== undefined && (
          <Pairs
            rows={[
              ['Records', <span class="num">{said.records}</span>],
              ['File', said.file === undefined ? 'in memory, until the workbench ends' : <code>{said.file}</code>],
              ['Fault', said.why],
            ]}
          />
        )}
      </div>
    </Card>
  );
}

export function PolicyScreen() {
  const { said: policy } = useAsked('policy.rules', {}, newestDecision.value);
  const [isTrying, setTrying] = useState(false);
  return (
    <section class="screen" data-screen="policy">
      <header class="head">
        <h1>Policy</h1>
        {policy !== undefined && <Tag>{policy.name}</Tag>}
        <span class="dim">The first rule that applies decides. Where none does, you are asked.</span>
        <div class="actions">
          <Button symbol="write" aria-pressed={isTrying} onClick={() => setTrying(!isTrying)}>
            Try other rules
          </Button>
        </div>
      </header>
      <div class="panes">
        <div class="pane">
          <div class="bar">
            <h2>Rules, in order</h2>
            <div class="facts">
              <span class="dim">acts decided</span>
            </div>
          </div>
          <Rules rules={policy?.rules ?? []} />
          {isTrying && <Rehearsal onDone={() => setTrying(false)} />}
          <div class="body">
            <Approvals />
            <Audit />
          </div>
        </div>
        <div class="pane">
          <div class="body">
            <Lock />
          </div>
          <Decisions />
        </div>
      </div>
    </section>
  );
}
