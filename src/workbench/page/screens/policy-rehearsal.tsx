/** A form that evaluates other rules against this session's decisions, without effect. */
import { useState } from 'preact/hooks';
import type { VerbResult } from '../../protocol.ts';
import type { DraftRule } from '../../protocol-policy.ts';
import { CloseButton, MainButton, Note } from '../parts/elements.tsx';
import { count } from '../parts/format.ts';
import { InView } from '../parts/in-view.tsx';
import { TextField } from '../parts/inputs.tsx';
import { faultText } from '../parts/json-editor.tsx';
import { parseJsonText } from '../parts/json-text.ts';
import { useAttempt } from '../parts/use-attempt.ts';
import { callVerb } from '../store.ts';

const example = `[
  { "verdict": "deny", "match": { "effects": "destructive" } }
]`;

export function Rehearsal({ onDone }: { onDone(): void }) {
  const [text, setText] = useState(example);
  const [found, setFound] = useState<VerbResult<'policy.rehearse'>>();
  const { failure, attempt } = useAttempt();
  const parsed = parseJsonText(text);
  const fault = 'fault' in parsed ? faultText(parsed.fault) : undefined;
  const rehearse = (): void => {
    if ('node' in parsed)
      void attempt(callVerb('policy.rehearse', { rules: parsed.value as unknown as DraftRule[] }), setFound);
  };
  return (
    <section class="body" aria-label="Rules to try">
      <TextField
        label="Rules to try"
        note="checked before yours, on the actions of this session"
        rows={4}
        value={text}
        onValue={setText}
        fault={fault}
        help={
          <>
            A list of <code>{'{ verdict, match }'}</code>. Verdicts are allow, ask and deny. A match names server, kind,
            name, effects or arguments.
          </>
        }
      />
      <div class="actions">
        <MainButton disabled={fault !== undefined} onClick={rehearse} text="Rehearse" />
        <CloseButton name="Close the rules to try" onClose={onDone} />
      </div>
      {failure !== undefined && <Note tone="bad">{failure}</Note>}
      <InView of={found}>
        {({ changes, decisions, undecidable }) => (
          <Note tone="accent" aria-live="polite">
            <strong>
              {changes.length === 0
                ? `No difference: all ${count(decisions, 'action')} would be decided as before.`
                : `${count(
                    changes.reduce((sum, change) => sum + change.count, 0),
                    'action',
                  )} of ${decisions} would be decided differently.`}
            </strong>
            <ul class="bullets">
              {changes.map((change) => (
                <li key={`${change.rule}${change.from}${change.to}${change.example.act}`}>
                  <code>{`${change.example.server} ${change.example.name}`}</code>{' '}
                  {change.count > 1 && `and ${change.count - 1} more `}
                  {`${change.from} → ${change.to}, by `}
                  <code>{change.rule}</code>
                </li>
              ))}
              {undecidable.map((one) => (
                <li key={one.why}>{`${count(one.count, 'action')} cannot be evaluated: ${one.why}`}</li>
              ))}
            </ul>
          </Note>
        )}
      </InView>
    </section>
  );
}
