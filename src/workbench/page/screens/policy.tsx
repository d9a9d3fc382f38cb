/** The Policy screen: rules, decisions, rehearsal, approvals, audit log and lock. */
import { useState } from 'preact/hooks';
import type { RuleRow } from '../../protocol-policy.ts';
import { Button, Tag, type Tone } from '../parts/elements.tsx';
import { useVerb } from '../parts/use-verb.ts';
import { newestDecision } from '../store.ts';
import { ruleWords } from './decision-words.ts';
import { ApprovalsCard, AuditCard, LockCard } from './policy-cards.tsx';
import { Decisions } from './policy-decisions.tsx';
import { Rehearsal } from './policy-rehearsal.tsx';

const tones: ReadonlyMap<string, Tone> = new Map([
  ['deny', 'bad'],
  ['allow', 'ok'],
  ['ask', 'warn'],
]);

function Rules({ rules }: { rules: readonly RuleRow[] }) {
  return (
    <ol>
      {rules.map((rule, at) => {
        const [verb = '', ...rest] = ruleWords(rule.text).split(' ');
        return (
          <li class="rule" key={rule.text}>
            <span class="num">{at + 1}</span>
            <span class="verb" data-tone={tones.get(verb)}>
              {verb}
            </span>
            <code>{rest.join(' ')}</code>
            <span class="num" title="Actions of this session that this rule decided">
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

export function PolicyScreen() {
  const { result: policy } = useVerb('policy.rules', {}, newestDecision.value);
  const [isTrying, setTrying] = useState(false);
  return (
    <section class="screen" data-screen="policy">
      <header class="head">
        <h1>Policy</h1>
        {policy !== undefined && <Tag>{policy.name}</Tag>}
        <div class="actions">
          <Button symbol="write" aria-pressed={isTrying} onClick={() => setTrying(!isTrying)} text="Try other rules" />
        </div>
        <p class="lead">The first rule that matches an action decides. If no rule matches, you are asked.</p>
      </header>
      <div class="panes">
        <div class="pane">
          {isTrying && <Rehearsal onDone={() => setTrying(false)} />}
          <div class="bar">
            <h2>Rules, in order</h2>
            <div class="facts">
              <span class="dim">actions decided</span>
            </div>
          </div>
          {policy !== undefined && <Rules rules={policy.rules} />}
          <div class="body">
            <ApprovalsCard />
            <AuditCard />
          </div>
        </div>
        <div class="pane">
          <div class="body">
            <LockCard />
          </div>
          <Decisions />
        </div>
      </div>
    </section>
  );
}
