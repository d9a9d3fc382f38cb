/** Cards of the Policy screen: lock with changed definitions, remembered approvals, audit log. */
import type { LockRow } from '../../protocol-policy.ts';
import { Diff } from '../parts/diff.tsx';
import { Button, Pairs, Tag } from '../parts/elements.tsx';
import { brief, count, sentence } from '../parts/format.ts';
import { Card } from '../parts/layout.tsx';
import { useVerb } from '../parts/use-verb.ts';
import { callOrNotify, newestDecision, notice } from '../store.ts';

export function LockCard() {
  const { result, reload } = useVerb('lock.diff', {}, newestDecision.value);
  const { items = [], file } = result ?? {};
  const open = items.filter(({ status }) => status === 'changed' || status === 'suspicious');
  const unpinned = items.filter(({ status }) => status === 'new').length;
  const accept = async (item: LockRow): Promise<void> => {
    await callOrNotify('lock.accept', { kind: item.kind, name: item.name, hash: item.hash });
    reload();
  };
  return (
    <Card
      title="Lock"
      beside={
        <>
          {result !== undefined && (
            <Tag
              tone={open.length > 0 ? 'warn' : 'ok'}
              symbol={open.length > 0 ? 'warning' : 'check'}
              text={open.length > 0 ? count(open.length, 'change') : 'no changes'}
            />
          )}
          <span class="dim">{file === undefined ? 'in memory' : file}</span>
        </>
      }
    >
      <p class="in dim">
        The lock pins the definition of a tool, prompt or template when you first allow it. If a pinned definition
        changes, you are asked again until you accept the change.
      </p>
      {open.slice(0, 50).map((item) => (
        <div key={`${item.kind}${item.name}`} class="lock-row">
          <div class="facts">
            <code>{item.name}</code>
            <span class="dim">{item.kind}</span>
            <Tag tone="bad" text={item.status} />
            <Button small onClick={() => void accept(item)} text="Accept the change" />
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

export function ApprovalsCard() {
  const { result, reload } = useVerb('policy.approvals', {}, newestDecision.value);
  const rows = result?.approvals ?? [];
  const revoke = async (id: string): Promise<void> => {
    if ((await callOrNotify('policy.revoke', { id }))?.revoked === true)
      notice.value = 'Approval revoked. The next such action asks you again.';
    reload();
  };
  return (
    <Card title="Approvals" beside={result !== undefined && <Tag>{rows.length}</Tag>}>
      {rows.length === 0 ? (
        <p class="in dim">No approvals yet. “Always” in a permission question adds one.</p>
      ) : (
        <ul>
          {rows.map((row) => (
            <li class="approval" key={row.id}>
              <code>{`${row.kind} ${brief(row.name, 60)}`}</code>
              <span class="dim">{`${row.anyArguments ? 'any arguments' : 'these arguments'}, ${row.until === 'session' ? 'this session' : `until ${new Date(row.until).toLocaleString('en-GB')}`}`}</span>
              <Button small onClick={() => void revoke(row.id)} text="Revoke" />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

export function AuditCard() {
  const { result, reload } = useVerb('audit.verify', {});
  return (
    <Card
      title="Audit log"
      beside={
        result !== undefined && (
          <Tag
            tone={result.ok ? 'ok' : 'bad'}
            symbol={result.ok ? 'check' : 'failed'}
            text={result.ok ? 'chain intact' : 'chain broken'}
          />
        )
      }
      actions={<Button small onClick={reload} text="Verify" />}
    >
      <div class="in" aria-live="polite">
        {result !== undefined && (
          <Pairs
            rows={[
              ['Records', <span class="num">{result.records}</span>],
              ['File', result.file === undefined ? 'in memory, until the workbench ends' : <code>{result.file}</code>],
              ['Fault', result.why],
            ]}
          />
        )}
      </div>
    </Card>
  );
}
